/**
 * An artifact's folder to its `.mur.zip`: what is packed (plan.ts), what looks wrong (lints.ts, secrets.ts), and, when the manifest names a
 * source, its compilation (compile/). Also the projects `mur new` starts with (scaffold/). Not publishing and not stores (src/artifacts).
 * Read next: build.ts, plan.ts, compile/index.ts.
 */
export { buildArtifact, compileDeclared } from './build.js';
export { type BuildBlock, type Declaration, readDeclaration } from './declaration.js';
export { type BuildPlan, type PlannedEntry, planBuild } from './plan.js';
export { secretWarnings } from './secrets.js';
export { buildSkill, type SkillOptions, skillName } from './skill.js';
export type { BuildOptions, BuildWarning, Built } from './types.js';

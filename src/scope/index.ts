/**
 * What a session may do and how much of that is enforced, as one object (spec/containment.md 18): `mur run --explain-scope` prints
 * it, `session_start.effective_grants` records it. Pure: policy, manifest, decision and folder names in, report out. Not the decision
 * itself, not the checks that refuse a launch (src/stage), not its text for people (src/cli/explain-view.ts).
 * Read next: types.ts (every field), report.ts, ../stage/containment.ts (the decision).
 *
 * Does not stop anything. It must therefore never say more than what the code beside each effect enforces.
 */
export { scopeFolders, sessionIdPlaceholder } from './folders.js';
export { grantedOf } from './granted.js';
export { isInterpreter } from './interpreters.js';
export { recordStoreOf } from './own-folders.js';
export { hasDescriptorWalk } from './reach.js';
export { preopenOf, scopeReport } from './report.js';
export type {
  NativeToolRow,
  PreopenRow,
  ProtectedFolder,
  ReadOnlyHold,
  ResourceRow,
  ScopeContainment,
  ScopeFolders,
  ScopeInput,
  ScopeReport,
  StarterRow,
} from './types.js';

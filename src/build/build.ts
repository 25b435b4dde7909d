import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { type PackEntry, packArchive } from '../artifacts/index.js';
import { MurError, reasonOf } from '../errors/index.js';
import { readRegularFile, toolNameOf } from '../manifest/index.js';
import { isCompiledRole } from './compile/roles.js';
import { type Declaration, readDeclaration } from './declaration.js';
import { lintImports, lintPlan, misspeltKeys } from './lints.js';
import { archiveFileName, type BuildPlan, type PlannedEntry, planBuild } from './plan.js';
import { secretWarnings } from './secrets.js';
import type { BuildOptions, Built } from './types.js';
import { isFolder, outputPath, writeWhole } from './write.js';

/** Most bytes of one packed file; the ceiling of every reader (spec/artifacts.md section 4). */
const maxEntryBytes = 524_288_000;

/**
 * Packs the artifact in `options.source` (spec/cli.md section 5); a source it names in `build:` is compiled first. Nothing is written
 * until everything was checked, and the archive appears whole. The same files give the same bytes.
 */
export async function buildArtifact(options: BuildOptions): Promise<Built> {
  const { source, onWarning, onProgress } = options;
  if (!isFolder(source))
    throw new MurError('E-IO-001', `no folder ${source}`, { hint: 'name the folder of an artifact' });
  const declaration = readDeclaration(source);
  if (declaration.manifest.runtime !== 'capsule') {
    for (const warning of misspeltKeys(declaration.tree)) onWarning?.(warning);
  }
  for (const warning of secretWarnings(declaration.tree)) onWarning?.(warning);
  const output = outputPath(options.output, source, archiveFileName(declaration));
  // The plan is made before the compiler runs, which takes a second, with an empty file in place of what it makes.
  const name = `${toolNameOf(declaration.manifest.name)}.wasm`;
  const { build } = declaration;
  let plan = planBuild(declaration, output, build === undefined ? [] : [{ name, bytes: new Uint8Array(0) }]);
  for (const warning of lintPlan(plan, declaration.packaging)) onWarning?.(warning);
  const compiled = build === undefined ? undefined : await compileDeclared(declaration, onProgress);
  if (compiled !== undefined) plan = planBuild(declaration, output, [{ name, bytes: compiled.component }]);
  for (const warning of lintImports(compiled?.imports ?? [])) onWarning?.(warning);
  return { ...(await pack(plan, declaration)), ...(compiled === undefined ? {} : { imports: compiled.imports }) };
}

/** The component of a declaration's `build:`. Throws `E-BLD-901` and `E-BLD-902`. */
export async function compileDeclared(declaration: Declaration, onProgress?: (step: string) => void) {
  const { folder, manifest, packaging, build } = declaration;
  const { runtime } = manifest;
  if (build === undefined || packaging !== 'wasm' || !isCompiledRole(runtime)) {
    throw new MurError(
      'E-MAN-003',
      `murmur.yaml: build: compiles a WASM tool, driver or hook, not a ${packaging} artifact with 'runtime: ${runtime}'`,
      { hint: "write runtime: tool, driver or hook, or remove build: and name the artifact's files in requires_files" },
    );
  }
  const { compileSource } = await import('./compile/index.js');
  return compileSource({
    file: resolve(folder, build.source),
    role: runtime,
    isRaw: build.isRaw,
    root: resolve(folder),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
}

/** Reads what was planned, packs and writes it. */
export async function pack(
  { output, entries }: BuildPlan,
  { manifest }: Pick<Declaration, 'manifest'>,
): Promise<Built> {
  const bytes = await packArchive(entries.map(packed));
  writeWhole(output, bytes);
  return {
    name: manifest.name,
    version: manifest.version,
    runtime: manifest.runtime,
    path: output,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    entries: entries.map(({ name }) => name),
  };
}

function packed({ name, from }: PlannedEntry): PackEntry {
  if ('bytes' in from) return { name, bytes: from.bytes };
  try {
    const bytes = readRegularFile(from.path, maxEntryBytes);
    return { name, bytes, ...(from.isExecutable ? { executable: true } : {}) };
  } catch (error) {
    throw new MurError('E-IO-003', `failed to read ${from.path}: ${reasonOf(error)}`, { cause: error });
  }
}

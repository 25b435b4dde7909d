import { lstatSync, type Stats } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { artifactFileName, type PackEntry, programOf, selectRootWasm } from '../artifacts/index.js';
import { MurError } from '../errors/index.js';
import { artifactNameProblem, isMissing } from '../manifest/index.js';
import type { Declaration } from './declaration.js';

/** One file of the archive to be: from the disk, or made by the build. */
export interface PlannedEntry {
  /** Its name in the archive. */
  readonly name: string;
  /** As `requires_files` has it. */
  readonly declared: string;
  readonly from: { readonly path: string; readonly isExecutable: boolean } | { readonly bytes: Uint8Array };
}

export interface BuildPlan {
  /** Where the archive goes. */
  readonly output: string;
  /** `murmur.yaml` first. */
  readonly entries: readonly PlannedEntry[];
  /** Declarations that name a file another one packs already. */
  readonly shadowed: readonly string[];
}

/**
 * What an archive will hold (spec/artifacts.md section 3). Looks at names and kinds of files, reads none and writes nothing. `made` are
 * files that the build makes; one of them stands in for a file of the same place. Throws the first `E-BLD-*` or `E-IO-003` it meets.
 */
export function planBuild(declaration: Declaration, output: string, made: readonly PackEntry[] = []): BuildPlan {
  const { folder, manifest, packaging } = declaration;
  const problem = artifactNameProblem(manifest.name);
  if (problem !== undefined) throw new MurError('E-BLD-001', `invalid artifact name '${manifest.name}': ${problem}`);

  const taken = new Map<string, PlannedEntry>();
  taken.set(resolve(folder, 'murmur.yaml'), {
    name: 'murmur.yaml',
    declared: 'murmur.yaml',
    from: { bytes: Buffer.from(declaration.text) },
  });
  for (const { name, bytes } of made) taken.set(resolve(folder, name), { name, declared: name, from: { bytes } });

  const shadowed: string[] = [];
  for (const declared of manifest.requiresFiles) {
    const place = resolve(folder, declared);
    const isMade = made.some(({ name }) => resolve(folder, name) === place);
    const stats = isMade ? undefined : check(declared, folder);
    if (isMade) continue;
    if (taken.has(place)) shadowed.push(declared);
    else if (place !== resolve(output)) {
      const isExecutable = stats !== undefined && (stats.mode & 0o111) !== 0;
      taken.set(place, { name: archiveName(declared), declared, from: { path: place, isExecutable } });
    }
  }
  const entries = [...taken.values()];
  refuseCollisions(entries);
  if (!output.endsWith('.mur.zip')) {
    throw new MurError('E-IO-003', `output path must end with .mur.zip: ${output}`);
  }
  if (packaging === 'wasm') checkPayload(entries);
  if (packaging === 'native') checkProgram(entries, programOf(manifest.name));
  return { output, entries, shadowed };
}

/** The default name of the archive of a declaration. */
export function archiveFileName({ manifest }: Pick<Declaration, 'manifest'>): string {
  return artifactFileName(manifest.name, manifest.version);
}

/** A declared file that may be packed. Every folder on the way is looked at too: a link there would lead out just as well. */
function check(declared: string, folder: string): Stats {
  const unsafe = unsafePath(declared);
  if (unsafe !== undefined) {
    throw new MurError('E-BLD-002', `requires_files entry '${declared}' has an unsafe path: ${unsafe}`);
  }
  const parts = declared.split('/').filter((part) => part !== '' && part !== '.');
  let place = folder;
  let stats: Stats | undefined;
  for (const part of parts) {
    place = join(place, part);
    stats = entryAt(place);
    if (stats === undefined) throw new MurError('E-IO-003', `missing required file '${declared}' in ${folder}`);
    if (stats.isSymbolicLink()) {
      throw new MurError(
        'E-BLD-002',
        `requires_files entry '${declared}' is a symlink (${place}); declare the file it points to instead`,
      );
    }
  }
  if (stats?.isFile() !== true) {
    const what =
      stats === undefined || stats.isDirectory() ? 'is a folder; declare its files' : 'is not a regular file';
    throw new MurError('E-BLD-002', `requires_files entry '${declared}' has an unsafe path: ${what}`);
  }
  return stats;
}

function unsafePath(declared: string): string | undefined {
  if (isAbsolute(declared) || /^[/\\]|^[A-Za-z]:/.test(declared)) return 'is an absolute path';
  if (declared.split(/[/\\]/).includes('..')) return "contains a '..' component";
  if (declared.includes('\0')) return 'contains a NUL character';
  return undefined;
}

function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isMissing(error) || code === 'ENOTDIR') return undefined;
    throw new MurError(code === 'EACCES' ? 'E-IO-002' : 'E-IO-003', `cannot look at ${path}: ${code}`, {
      cause: error,
    });
  }
}

function archiveName(declared: string): string {
  return declared
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

function refuseCollisions(entries: readonly PlannedEntry[]): void {
  const byName = new Map<string, PlannedEntry>();
  for (const entry of entries) {
    const other = byName.get(entry.name);
    if (other !== undefined) {
      throw new MurError(
        'E-BLD-002',
        `requires_files entries '${other.declared}' and '${entry.declared}' both pack as the archive entry '${entry.name}'`,
      );
    }
    byName.set(entry.name, entry);
  }
}

/** Where every reader of a native artifact looks for it (spec/artifacts.md 5.2). */
function checkProgram(entries: readonly PlannedEntry[], program: string): void {
  if (entries.some(({ name }) => name === program)) return;
  throw new MurError('E-BLD-003', `missing ${program}, the program of a native artifact`, {
    hint: `name ${program} in requires_files`,
  });
}

function checkPayload(entries: readonly PlannedEntry[]): void {
  const found = selectRootWasm(entries.map(({ name }) => name));
  if (found.kind === 'one') return;
  const message =
    found.kind === 'none'
      ? 'missing root .wasm file (expected capsule.wasm or one root *.wasm)'
      : `multiple root .wasm files found: ${found.names.join(', ')}`;
  throw new MurError('E-BLD-003', message, {
    hint:
      found.kind === 'none'
        ? 'name the component in requires_files, or the source to compile in build: { source: src/main.ts }'
        : 'keep one of them in requires_files, or name the one to run capsule.wasm',
  });
}

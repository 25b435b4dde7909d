/**
 * What the names of `shell.allow` stand for on this host, and what their processes must be able to execute and read to run
 * (spec/containment.md 9). Not which of it a kernel rule grants (box-rules.ts), not what a command may be called with (src/shell).
 * Read next: path-search.ts, closure.ts, interpreter.ts, staged.ts.
 */
import { existsSync } from 'node:fs';
import type { InterpreterRuntimeGrant, StagedRuntimeGrant } from '../manifest/index.js';
import { closureOf, elfFacts, isKnown } from './closure.js';
import { deriveInterpreter } from './interpreter.js';
import { findInPath } from './path-search.js';
import { interpretersOf, readShebang } from './shebang.js';
import { interpreterGrants, stagedGrants } from './staged.js';
import { isWithin } from './within.js';

/** One path that commands may use, for a kernel rule and, under `sealed`, a bind. */
export interface PathGrant {
  /** Absolute, links followed. */
  readonly path: string;
  readonly access: 'read' | 'read-write' | 'execute';
  /** Whether the folder may be listed; meaningless for a file. */
  readonly list: boolean;
  /** False: a path that cannot be opened is left out, which only ever narrows. */
  readonly required: boolean;
  /** The very folder that was granted, whatever is at its path later. Absent: the path is what counts. */
  readonly identity?: FolderIdentity;
}

/** What stays the same of a folder as long as it is that folder. */
export interface FolderIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** One program that a name of `shell.allow` stands for. A name has as many as there are folders of PATH that hold it. */
export interface Binary {
  readonly name: string;
  /** Links followed. */
  readonly path: string;
  /** Whether it is the first match in PATH: what a command of that name starts. */
  readonly first: boolean;
  readonly image: 'elf' | 'script' | 'other';
  /** Of a script: the programs the kernel needs to start it that no allowed name stands for, so it does not start. */
  readonly missing?: readonly string[];
}

/** An allowed name that starts a `#!` script whose packages a composed root would not hold (spec/containment.md 9.5). */
export interface UnreachableScript {
  readonly name: string;
  readonly path: string;
  /** Base name of the interpreter its first line asks for. */
  readonly interpreter: string;
}

/** What native processes of a session may execute and must be able to read to run. Computed once per session. */
export interface Executables {
  readonly binaries: readonly Binary[];
  /** Every file the kernel may execute: the programs and their loaders. Sorted. */
  readonly executable: readonly string[];
  /** Libraries, which are only read; folders of interpreters, declared, pinned and derived. */
  readonly readable: readonly PathGrant[];
  readonly derived: readonly DerivedInterpreter[];
  readonly unreachableScripts: readonly UnreachableScript[];
  /** Programs whose needs were known from an earlier session of this runtime and whose file is unchanged. */
  readonly reused: readonly string[];
}

/** What an interpreter said about itself (spec/containment.md 9.3). */
export interface DerivedInterpreter {
  readonly binary: string;
  readonly dirs: readonly string[];
  readonly libraries: readonly string[];
}

export interface ExecutablesAsked {
  readonly allow: readonly string[];
  /** PATH of the runtime. */
  readonly path: string;
  readonly interpreterRuntime: readonly InterpreterRuntimeGrant[];
  readonly stagedRuntime: readonly StagedRuntimeGrant[];
  /** Folders the session may write to: an interpreter in one of them is not run to be asked. */
  readonly writable?: readonly string[];
}

/** Fixed folders of a composed root, of which scripts can be read (spec/containment.md 12.3). */
const runtimeTree = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** Without it a loader finds only libraries in its own default folders. It names libraries and nothing else. */
const loaderCacheFile = '/etc/ld.so.cache';

/** Resolves every allowed name. A name that leads to no program contributes nothing; nothing is refused here. */
export async function resolveExecutables(asked: ExecutablesAsked): Promise<Executables> {
  const found = asked.allow.flatMap((name) =>
    findInPath(name, asked.path).map(({ path }, index) => ({ name, path, first: index === 0 })),
  );
  const programs = new Set(found.map(({ path }) => path));
  const reused = [...programs].filter(isKnown).sort();
  const binaries = found.map((each): Binary => ({ ...each, ...imageOf(each.path, programs) }));
  const { loaders, libraries } = closureOf([...programs]);
  const derived = await deriveAll(asked, binaries);
  const declared = [...stagedGrants(asked.stagedRuntime), ...interpreterGrants(asked.interpreterRuntime)];
  const executable = [...new Set([...programs, ...loaders])].sort();
  const files = new Set([...libraries, ...derived.flatMap((each) => each.libraries)]);
  const dirs = new Set(derived.flatMap((each) => each.dirs));
  const cache = executable.length > 0 ? loaderCache() : [];
  return {
    binaries,
    executable,
    readable: [
      ...declared,
      ...[...dirs].map((path): PathGrant => ({ path, access: 'read', list: true, required: false })),
      ...[...[...files].sort(), ...cache].map(
        (path): PathGrant => ({ path, access: 'read', list: false, required: false }),
      ),
    ],
    derived,
    unreachableScripts: unreachable(asked, binaries, [...declared.map(({ path }) => path), ...dirs]),
    reused,
  };
}

/** What any loader reads of this host besides libraries. */
export function loaderCache(): readonly string[] {
  return existsSync(loaderCacheFile) ? [loaderCacheFile] : [];
}

function imageOf(path: string, programs: ReadonlySet<string>): Pick<Binary, 'image' | 'missing'> {
  if (elfFacts(path) !== undefined) return { image: 'elf' };
  if (readShebang(path) === undefined) return { image: 'other' };
  const missing = interpretersOf(path).filter((each) => !programs.has(each));
  return { image: 'script', ...(missing.length === 0 ? {} : { missing }) };
}

/** Ordered by path. A name with a pinned runtime brings its own; a program the session could have written is not run. */
async function deriveAll(asked: ExecutablesAsked, binaries: readonly Binary[]): Promise<readonly DerivedInterpreter[]> {
  const staged = new Set(asked.stagedRuntime.map(({ binary }) => binary));
  const paths = binaries
    .filter(({ name, image }) => image === 'elf' && !staged.has(name))
    .map(({ path }) => path)
    .filter((path) => !(asked.writable ?? []).some((folder) => isWithin(path, folder)));
  const derived = await Promise.all([...new Set(paths)].sort().map(deriveInterpreter));
  return derived.filter((each) => each !== undefined);
}

/** All of them, so that one refusal can name them all. Only `sealed` refuses; elsewhere a script's packages are where they were. */
function unreachable(
  asked: ExecutablesAsked,
  binaries: readonly Binary[],
  folders: readonly string[],
): readonly UnreachableScript[] {
  const granted = new Set([...asked.interpreterRuntime, ...asked.stagedRuntime].map(({ binary }) => binary));
  return binaries.flatMap(({ name, path, first, image }) => {
    if (!first || image !== 'script' || granted.has(name)) return [];
    if ([...runtimeTree, ...folders].some((folder) => isWithin(path, folder))) return [];
    const interpreter = readShebang(path)?.name ?? '';
    return granted.has(interpreter) ? [] : [{ name, path, interpreter }];
  });
}

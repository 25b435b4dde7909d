/**
 * What the image of a native tool needs of this host to start: the loader and libraries of an ELF file, the interpreters of a script
 * (spec/shell.md 7.1). Read from its bytes; the image itself is never run to be asked. Not what it may do then (box-rules.ts).
 *
 * The image names these files itself and whoever packed it wrote the names, so they are granted only where the kernel or a loader
 * could use them as named: ELF files of the same machine, executable interpreters, and nothing where the session or mur writes.
 *
 * Does not stop: an image that names any other program or library of this host, to run or to read that one.
 *
 * Read next: closure.ts, shebang.ts, interpreter.ts.
 */
import { basename, isAbsolute } from 'node:path';
import { canonicalFile, closureOf, closureOfImage, elfFacts } from './closure.js';
import { type ByteSource, parseElf } from './elf.js';
import { type DerivedInterpreter, type Executables, loaderCache, type PathGrant } from './executables.js';
import { deriveInterpreter } from './interpreter.js';
import { findInPath, isExecutable, searchPath } from './path-search.js';
import { parseShebang, readShebang, type Shebang, shebangBytes } from './shebang.js';
import { isWithin } from './within.js';

/** More than any script needs; scripts can name one another in a circle. */
const mostPrograms = 8;

export interface EntrypointAsked {
  /** Where the image is, or will be. */
  readonly path: string;
  /** PATH of the runtime, in which `#!/usr/bin/env` looks names up. */
  readonly searchPath: string;
  /** Folders the session or mur writes to: nothing in them is granted for being named by an image. */
  readonly writable: readonly string[];
}

/** What one native tool has besides what commands have. */
export interface NativeEntrypoint {
  readonly image: 'elf' | 'script' | 'other';
  /** Programs and loaders of this host that it may execute. Links followed, sorted. */
  readonly runs: readonly string[];
  /** Of `runs`, the interpreters and not their loaders. */
  readonly interpreters: readonly string[];
  readonly readable: readonly PathGrant[];
  /** What it names and this host does not have, or not for it: it will not start. */
  readonly missing: readonly string[];
}

/** The needs of the image in `source`. Nothing is refused: a tool without what it needs fails when it is called. */
export async function nativeEntrypoint(source: ByteSource, asked: EntrypointAsked): Promise<NativeEntrypoint> {
  const isAllowed = (path: string) => !asked.writable.some((folder) => isWithin(path, folder));
  const facts = parseElf(source);
  if (facts !== undefined) {
    const { loaders, libraries, missing } = closureOfImage(facts, asked.path, isAllowed);
    return { image: 'elf', runs: loaders, interpreters: [], readable: files(libraries, loaders), missing };
  }
  const shebang = parseShebang(source.read(0, shebangBytes));
  if (shebang === undefined) return { image: 'other', runs: [], interpreters: [], readable: [], missing: [] };
  return ofScript(shebang, asked, isAllowed);
}

/** An image in the words of a box. The image is executable by its own processes alone. */
export function executablesOf(
  image: string,
  { interpreters, runs, readable }: NativeEntrypoint,
): Pick<Executables, 'binaries' | 'executable' | 'readable'> {
  return {
    binaries: interpreters.map((path) => ({
      name: path,
      path,
      first: true,
      image: elfFacts(path) === undefined ? 'script' : 'elf',
    })),
    executable: [image, ...runs],
    readable,
  };
}

async function ofScript(
  shebang: Shebang,
  asked: EntrypointAsked,
  isAllowed: (path: string) => boolean,
): Promise<NativeEntrypoint> {
  const found = programsOf(shebang, asked.searchPath);
  const interpreters = [...new Set(found.programs)].filter((path) => isAllowed(path) && isExecutable(path)).sort();
  const { loaders, libraries } = closureOf(interpreters);
  const derived = await derive(interpreters, shebang, asked.searchPath);
  const runs = [...new Set([...interpreters, ...loaders])].sort();
  return {
    image: 'script',
    runs,
    interpreters,
    readable: [
      ...[...new Set(derived.flatMap(({ dirs }) => dirs))].map(
        (path): PathGrant => ({ path, access: 'read', list: true, required: false }),
      ),
      ...files([...libraries, ...derived.flatMap((each) => each.libraries)], runs),
    ],
    missing: [...found.missing, ...found.programs.filter((path) => !interpreters.includes(path))],
  };
}

/**
 * Asking an interpreter means running it outside of containment: only one that the operator's own PATH leads to. An image could name
 * a file that an earlier session wrote.
 */
async function derive(
  interpreters: readonly string[],
  { program, name }: Shebang,
  path: string,
): Promise<readonly DerivedInterpreter[]> {
  const names = new Set([basename(program), name, ...interpreters.map((each) => basename(each))]);
  const ofOperator = new Set([...names].flatMap((each) => findInPath(each, path)).map((each) => each.path));
  const asked = interpreters.filter((each) => ofOperator.has(each));
  return (await Promise.all(asked.map(deriveInterpreter))).filter((each) => each !== undefined);
}

/** The programs that are started for it, one after the other: by the kernel, and by `env`, which looks one up. */
function programsOf(
  shebang: Shebang,
  path: string,
): { readonly programs: readonly string[]; readonly missing: readonly string[] } {
  const programs: string[] = [];
  let next: Shebang | undefined = shebang;
  while (next !== undefined && programs.length < mostPrograms) {
    const { program, target }: Shebang = next;
    // A relative one means another file in every folder.
    const file: string | undefined = isAbsolute(program) ? canonicalFile(program) : undefined;
    if (file === undefined) return { programs, missing: [program] };
    programs.push(file);
    let last = file;
    if (target !== undefined) {
      const found: string | undefined = isAbsolute(target)
        ? canonicalFile(target)
        : searchPath(target, path).next().value?.path;
      if (found === undefined) return { programs, missing: [target] };
      programs.push(found);
      last = found;
    }
    next = readShebang(last);
  }
  return { programs, missing: [] };
}

function files(libraries: readonly string[], runs: readonly string[]): readonly PathGrant[] {
  const cache = runs.length > 0 ? loaderCache() : [];
  return [...new Set([...libraries].sort()), ...cache].map((path) => ({
    path,
    access: 'read',
    list: false,
    required: false,
  }));
}

/**
 * The files a program needs to start: its loader and every library, and theirs (spec/containment.md 9.1). Looked up the way the
 * loader does it, without its cache: the cache only speeds up folders listed here. Nothing is run.
 * Does not find: what a program loads later by a name of its own (dlopen), and variants of a library for newer processors, which a
 * loader that may not read them does without.
 */
import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type ElfFacts, parseElf, withFile } from './elf.js';

export interface Closure {
  /** Loaders (PT_INTERP): the kernel executes them. Links followed, sorted. */
  readonly loaders: readonly string[];
  /** Libraries: they are only read. */
  readonly libraries: readonly string[];
}

const multiarch = ['x86_64-linux-gnu', 'aarch64-linux-gnu'];
const defaultFolders = [
  ...['/lib', '/lib64', '/usr/lib', '/usr/lib64'],
  ...multiarch.flatMap((triplet) => [`/lib/${triplet}`, `/usr/lib/${triplet}`]),
  // Not a default of the loader, but in every distribution's list; what is installed by hand lies here.
  ...['/usr/local/lib', '/usr/local/lib64', ...multiarch.map((triplet) => `/usr/local/lib/${triplet}`)],
];
/** More than any program has; a bound for files made to have no end. */
const mostFiles = 4096;

const known = new Map<string, { readonly identity: string; readonly facts: ElfFacts | null }>();

/** What the file needs; `undefined` for what is no 64-bit ELF file. Read once per version of a file. */
export function elfFacts(path: string): ElfFacts | undefined {
  const identity = identityOf(path);
  if (identity === undefined) return undefined;
  const cached = known.get(path);
  if (cached?.identity === identity) return cached.facts ?? undefined;
  const facts = withFile(path, parseElf);
  known.set(path, { identity, facts: facts ?? null });
  return facts;
}

/** Whether `elfFacts` would answer without reading the file. */
export function isKnown(path: string): boolean {
  return known.get(path)?.identity === identityOf(path) && known.has(path);
}

/** Device, number, size and times of a file: another value means it may hold something else. */
export function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch {
    return undefined;
  }
}

/** Loaders and libraries of `files`, which are absolute and have their links followed; the files themselves are not among them. */
export function closureOf(files: readonly string[]): Closure {
  return follow(files.map((path) => ({ path, rpath: [] })));
}

/** What a program names and this host does not have. */
export interface ImageClosure extends Closure {
  /** Its loader as a path, libraries by name. */
  readonly missing: readonly string[];
}

/**
 * The same for one program somebody brought, with `facts` read from it, which is to be at `path`. `isAllowed` says which files of this
 * host it may name: an artifact writes its own search path, and each file of a closure becomes readable.
 */
export function closureOfImage(facts: ElfFacts, path: string, isAllowed: (path: string) => boolean): ImageClosure {
  const missing = new Set<string>();
  const closure = follow([{ path, facts, rpath: [] }], { isAllowed, onMissing: (name) => missing.add(name) });
  return { ...closure, missing: [...missing].sort() };
}

interface Pending {
  readonly path: string;
  readonly facts?: ElfFacts;
  readonly machine?: number;
  readonly rpath: readonly string[];
}

interface Following {
  readonly isAllowed: (path: string) => boolean;
  readonly onMissing: (name: string) => void;
}

const trusting: Following = { isAllowed: () => true, onMissing: () => undefined };

function follow(from: readonly Pending[], { isAllowed, onMissing }: Following = trusting): Closure {
  const loaders = new Set<string>();
  const libraries = new Set<string>();
  const seen = new Set<string>();
  const queue = [...from];
  for (let next = queue.shift(); next !== undefined && seen.size < mostFiles; next = queue.shift()) {
    const { path, machine } = next;
    if (seen.has(path)) continue;
    seen.add(path);
    const facts = next.facts ?? elfFacts(path);
    if (facts === undefined) continue;
    const fits = (file: string | undefined): file is string =>
      file !== undefined && elfFacts(file)?.machine === (machine ?? facts.machine) && isAllowed(file);
    const loader = isAbsolute(facts.interpreter ?? '') ? canonicalFile(facts.interpreter!) : undefined;
    if (fits(loader)) {
      loaders.add(loader);
      queue.push({ path: loader, rpath: [] });
    } else if (facts.interpreter !== undefined) onMissing(facts.interpreter);
    // DT_RPATH of what asked for a file counts for that file's libraries too, unless it has a DT_RUNPATH of its own.
    const own = expand(facts.rpath, path);
    const rpath = [...own, ...next.rpath];
    const folders = facts.runpath.length > 0 ? expand(facts.runpath, path) : rpath;
    for (const name of facts.needed) {
      const library = findLibrary(placesOf(name, path, folders), fits);
      if (library === undefined) {
        onMissing(name);
        continue;
      }
      libraries.add(library);
      queue.push({ path: library, machine: machine ?? facts.machine, rpath });
    }
  }
  for (const loader of loaders) libraries.delete(loader);
  return { loaders: [...loaders].sort(), libraries: [...libraries].sort() };
}

function findLibrary(
  places: readonly string[],
  fits: (file: string | undefined) => file is string,
): string | undefined {
  for (const place of places) {
    const found = canonicalFile(place);
    if (fits(found)) return found;
  }
  return undefined;
}

/** Where the loader looks for a library, in its order. It passes over a file of another machine. */
function placesOf(name: string, from: string, folders: readonly string[]): readonly string[] {
  if (name.includes('/')) return [isAbsolute(name) ? name : join(dirname(from), name)];
  return [...folders, ...defaultFolders].map((folder) => join(folder, name));
}

/** Relative folders are left out: what they mean depends on where a command stands. */
function expand(folders: readonly string[], path: string): string[] {
  return folders
    .map((folder) => folder.replaceAll(/\$ORIGIN\b|\$\{ORIGIN\}/g, () => dirname(path)))
    .filter((folder) => isAbsolute(folder) && !folder.includes('$'));
}

/** The regular file a path leads to, links followed. */
export function canonicalFile(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

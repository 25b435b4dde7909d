import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { canonicalFile } from './closure.js';

/** A program as PATH has it, and the file it leads to. */
export interface Found {
  /** In the folder of PATH. */
  readonly asFound: string;
  /** Links followed. */
  readonly path: string;
}

/**
 * Every executable regular file of that name in the folders of PATH, in its order, each file once. Relative folders are passed over:
 * what they mean depends on where a command stands, and a capsule could put a program there.
 */
export function findInPath(name: string, path: string): readonly Found[] {
  return [...searchPath(name, path)];
}

/** The same, looked for as far as they are asked for. */
export function* searchPath(name: string, path: string): Generator<Found, undefined> {
  if (name === '' || name.includes('/') || name.includes('\0')) return;
  const known = new Set<string>();
  for (const folder of path.split(':').filter(isAbsolute)) {
    const asFound = join(folder, name);
    const real = canonicalFile(asFound);
    if (real === undefined || known.has(real) || !isExecutable(real)) continue;
    known.add(real);
    yield { asFound, path: real };
  }
}

/** Whether this user may execute the file, where it is mounted: not below a mount that is noexec. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

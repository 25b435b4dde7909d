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
  if (name === '' || name.includes('/') || name.includes('\0')) return [];
  const found = new Map<string, Found>();
  for (const folder of path.split(':').filter(isAbsolute)) {
    const asFound = join(folder, name);
    const real = canonicalFile(asFound);
    if (real === undefined || found.has(real) || !isExecutable(real)) continue;
    found.set(real, { asFound, path: real });
  }
  return [...found.values()];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

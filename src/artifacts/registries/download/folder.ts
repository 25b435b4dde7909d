/**
 * The folder of files that are not whole yet. `<key>.part` is nobody's; `<key>` and a temporary name (src/home/temporary.ts) belongs to
 * the process the name names. Read next: part.ts (what is in one).
 */
import { lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isLeftOver } from '../../../home/index.js';

const keyLength = 64;

/** Where the part of `key` waits for the next download. */
export function releasedPath(folder: string, key: string): string {
  return join(folder, `${key}.part`);
}

/** Removes what nobody finished for `staleMs`. What cannot be removed stays: no download depends on it being gone. */
export function removeStaleParts(folder: string, staleMs: number): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    try {
      if (isPart(name) && Date.now() - statSync(path).mtimeMs > staleMs) rmSync(path, { force: true });
    } catch {
      // Another process was faster.
    }
  }
}

/** Gives the part of `key` that nobody writes to our name `path`. Of two processes one gets it: a rename happens once. */
export function takeOver(folder: string, key: string, path: string): boolean {
  const abandoned = namesIn(folder).filter((name) => name.startsWith(key) && isLeftOver(name.slice(keyLength)));
  for (const from of [releasedPath(folder, key), ...abandoned.map((name) => join(folder, name))]) {
    try {
      if (!lstatSync(from).isFile()) continue;
      renameSync(from, path);
      return true;
    } catch {
      // Not there, or taken by another process.
    }
  }
  return false;
}

function isPart(name: string): boolean {
  return /^[0-9a-f]{64}(?:\.part$|\.mur-)/.test(name);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MurError, reasonOf } from '../../errors/index.js';
import { temporaryName } from '../../home/temporary.js';
import type { ScaffoldFile } from './render.js';

/** Makes the folder `target` with `files` in it, whole or not at all. Throws `E-NEW-003` when anything is there already. */
export function placeFolder(target: string, files: readonly ScaffoldFile[]): void {
  refuseTaken(target);
  const fresh = join(dirname(target), temporaryName());
  try {
    writeAll(fresh, files);
    // An empty folder that appeared meanwhile would be replaced by a rename; nothing else would.
    refuseTaken(target);
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw failed(target, error);
  }
}

/** Writes `files` into `folder`, which exists. Replaces nothing: throws `E-NEW-003` for the first that is there, before writing any. */
export function placeFiles(folder: string, files: readonly ScaffoldFile[]): void {
  for (const { path } of files) refuseTaken(join(folder, path));
  try {
    writeAll(folder, files);
  } catch (error) {
    throw failed(folder, error);
  }
}

function writeAll(folder: string, files: readonly ScaffoldFile[]): void {
  for (const { path, text } of files) {
    const place = join(folder, path);
    makeFolder(dirname(place));
    writeFileSync(place, text, { flag: 'wx' });
  }
}

/** One level at a time: of a disk that cannot be written, the recursive call says that the folder is missing. */
function makeFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

/** A link to nowhere counts as something that is there. */
function refuseTaken(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new MurError('E-NEW-003', `${path} exists already; nothing was written`);
}

function failed(target: string, error: unknown): MurError {
  if (error instanceof MurError) return error;
  return new MurError('E-IO-003', `failed to write ${target}: ${reasonOf(error)}`, { cause: error });
}

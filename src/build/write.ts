import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MurError, reasonOf } from '../errors/index.js';
import { temporaryName } from '../home/temporary.js';

/** Makes `bytes` the content of `path`, whole or not at all: written beside it, then moved into place. */
export function writeWhole(path: string, bytes: Uint8Array): void {
  const fresh = join(dirname(path), temporaryName());
  try {
    const file = openSync(fresh, 'wx', 0o644);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new MurError('E-IO-003', `failed to write ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Where the archive goes: `output` itself, `fileName` inside it when it is a folder, else `fileName` in `folder`. */
export function outputPath(output: string | undefined, folder: string, fileName: string): string {
  if (output === undefined) return join(folder, fileName);
  return isFolder(output) ? join(output, fileName) : output;
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

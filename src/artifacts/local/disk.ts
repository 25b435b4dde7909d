/** The few things a store does to a disk that Node has no one call for. */
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isLeftOver } from '../../home/index.js';

/** Makes a file that is on the disk when this returns. Throws when there is one. */
export function writeSynced(path: string, bytes: Uint8Array | string, mode: number): void {
  const fd = openSync(path, 'wx', mode);
  try {
    writeFileSync(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** A second name for a file; a copy where the file system has no second names. Never replaces anything. */
export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** Removes what killed writers had not finished making. */
export function sweep(folder: string): void {
  for (const name of readdirSync(folder).filter(isLeftOver)) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Brings renames in the folder to the disk. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

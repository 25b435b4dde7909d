/**
 * Filing a set: whole or not at all, also when the process is killed at any point or two write at once (set.ts says how).
 * A failure after the first move puts back what was there.
 *
 * Does not stop: a disk that loses what it said was written; another program that writes into the store by other rules; a kill
 * while a new set is published on a file system without hard links.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { MurError } from '../../errors/index.js';
import { ioError, isLeftOver, temporaryName } from '../../home/index.js';
import { isStoreFolder, look, type Mode, type Part, partPath, parts, pendingPath, type SetPlace } from './set.js';

export interface SetWriter {
  readonly place: SetPlace;
  readonly files: Readonly<Record<Part, Uint8Array | string>>;
  readonly mode: Mode;
  readonly folderMode: number;
  readonly fileMode: number;
  /** Called before each step that changes the disk; what it throws is a failure of that step. */
  readonly onStep?: (step: string) => void;
}

/** Another writer may come between as often as this. */
const maxTries = 100;

/**
 * Files the set; its folder must exist. Throws `MurError`, and `'exists'` is the answer for a `new` set whose place is taken.
 */
export function writeSet(writer: SetWriter): 'written' | 'exists' {
  const { place, mode } = writer;
  try {
    sweep(place.folder);
    const made = join(place.folder, temporaryName());
    const kept = join(place.folder, temporaryName());
    try {
      build(writer, made);
      for (let tries = 0; tries < maxTries; tries += 1) {
        settle(writer);
        if (mode === 'new' && isTaken(place)) return 'exists';
        keep(writer, kept);
        if (commit(writer, made)) return finish(writer, kept);
      }
      throw new MurError('E-IO-003', `other processes keep writing ${place.stem} in ${place.folder}`);
    } finally {
      rmSync(made, { recursive: true, force: true });
      rmSync(kept, { recursive: true, force: true });
    }
  } catch (error) {
    throw ioError('cannot store an artifact in', place.folder, error);
  }
}

function step({ onStep }: SetWriter, name: string): void {
  onStep?.(name);
}

function build(writer: SetWriter, folder: string): void {
  step(writer, 'make');
  mkdirSync(folder, { mode: writer.folderMode });
  for (const part of parts) {
    step(writer, `write ${part}`);
    const fd = openSync(join(folder, writer.place.stem + part), 'wx', writer.fileMode);
    try {
      writeFileSync(fd, writer.files[part]);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }
  syncFolder(folder);
}

/** Keeps what is in place under a second name, to be put back on a failure. */
function keep(writer: SetWriter, folder: string): void {
  const { place } = writer;
  step(writer, 'keep');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: writer.folderMode });
  for (const part of parts) {
    const path = partPath(place, part);
    const found = look(path);
    if (found !== undefined && !found.isFile()) {
      throw new MurError('E-IO-003', `the artifact store cannot be used: ${path} is no regular file`, {
        hint: 'remove it, then install again',
      });
    }
    if (found !== undefined) linkOrCopy(path, join(folder, place.stem + part));
  }
}

/** The moment the new set counts. False when another writer's set is still on its way. */
function commit(writer: SetWriter, made: string): boolean {
  step(writer, 'commit');
  try {
    renameSync(made, pendingPath(writer.place, writer.mode));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
  syncFolder(writer.place.folder);
  return true;
}

function finish(writer: SetWriter, kept: string): 'written' | 'exists' {
  const { place, mode } = writer;
  if (mode === 'new' && isTaken(place)) {
    rmSync(pendingPath(place, mode), { recursive: true, force: true });
    return 'exists';
  }
  try {
    drain(writer, mode);
  } catch (error) {
    restore(place, mode, kept);
    throw error;
  }
  return 'written';
}

/** Finishes what a writer began that is not done, or was killed. */
function settle(writer: SetWriter): void {
  const { place } = writer;
  if (isStoreFolder(pendingPath(place, 'replace'))) drain(writer, 'replace');
  if (!isStoreFolder(pendingPath(place, 'new'))) return;
  if (look(partPath(place, '.sha256')) === undefined) drain(writer, 'new');
  else rmSync(pendingPath(place, 'new'), { recursive: true, force: true });
}

/** Moves the files of a committed set into place. Another process may be at it too; together they do it once. */
function drain(writer: SetWriter, mode: Mode): void {
  const { place } = writer;
  const pending = pendingPath(place, mode);
  for (const part of parts) {
    step(writer, `move ${part}`);
    move(join(pending, place.stem + part), partPath(place, part), mode);
  }
  syncFolder(place.folder);
  step(writer, 'clean');
  try {
    if (mode === 'replace') rmdirSync(pending);
    else rmSync(pending, { recursive: true, force: true });
  } catch {
    // Gone, or filled again by the next writer. Left empty, it says nothing, and the next writer removes it.
  }
}

function move(from: string, to: string, mode: Mode): void {
  try {
    if (mode === 'replace') renameSync(from, to);
    else linkOrCopy(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process moved it; or, for a new set, what is there stays.
    if (code !== 'ENOENT' && !(mode === 'new' && code === 'EEXIST')) throw error;
  }
}

/** Puts back what was there before, and takes the failed set out of the way. */
function restore(place: SetPlace, mode: Mode, kept: string): void {
  for (const part of parts) {
    const before = join(kept, place.stem + part);
    if (look(before) !== undefined) renameSync(before, partPath(place, part));
    else rmSync(partPath(place, part), { force: true });
  }
  rmSync(pendingPath(place, mode), { recursive: true, force: true });
  syncFolder(place.folder);
}

function isTaken(place: SetPlace): boolean {
  return parts.some((part) => look(partPath(place, part)) !== undefined);
}

/** A second name for a file; a copy where the file system has no second names. Never replaces anything. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** Removes what killed writers had not finished making. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder).filter(isLeftOver)) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Filing a set: whole or not at all, also when the process is killed at any point or two write at once (set.ts says how).
 * A failure after the first move puts back what was there.
 *
 * Does not stop: a disk that loses what it said was written; another program that writes into the store by other rules; a kill
 * while a new set is published on a file system without hard links.
 */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MurError } from '../../errors/index.js';
import { ioError, temporaryName } from '../../home/index.js';
import { linkOrCopy, sweep, syncFolder, writeSynced } from './disk.js';
import { drain, type OnStep, restore, settle } from './finish.js';
import { look, type Mode, type Part, partPath, parts, pendingPath, type SetPlace } from './set.js';

export interface SetWriter {
  readonly place: SetPlace;
  readonly files: Readonly<Record<Part, Uint8Array | string>>;
  readonly mode: Mode;
  readonly folderMode: number;
  readonly fileMode: number;
  readonly onStep: OnStep;
}

/** Another writer may come between as often as this. */
const maxTries = 100;

/**
 * Files the set; its folder must exist. Throws `MurError`, and `'exists'` is the answer for a `new` set whose place is taken.
 */
export function writeSet(writer: SetWriter): 'written' | 'exists' {
  const { place, mode, onStep } = writer;
  try {
    sweep(place.folder);
    const made = join(place.folder, temporaryName());
    const kept = join(place.folder, temporaryName());
    try {
      const mark = build(writer, made);
      for (let tries = 0; tries < maxTries; tries += 1) {
        settle(place, onStep);
        if (mode === 'new' && isTaken(place)) return 'exists';
        keep(writer, kept);
        if (commit(writer, made)) return finish(writer, kept, mark);
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

/** Makes the set in `folder`. Answers with the number of its first file, which stays the same wherever that is moved or linked. */
function build(writer: SetWriter, folder: string): number | undefined {
  writer.onStep('make');
  mkdirSync(folder, { mode: writer.folderMode });
  for (const part of parts) {
    writer.onStep(`write ${part}`);
    writeSynced(join(folder, writer.place.stem + part), writer.files[part], writer.fileMode);
  }
  syncFolder(folder);
  return look(join(folder, writer.place.stem + parts[0]))?.ino;
}

/** Keeps what is in place under a second name, to be put back on a failure. */
function keep(writer: SetWriter, folder: string): void {
  const { place } = writer;
  writer.onStep('keep');
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
  writer.onStep('commit');
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

function finish(writer: SetWriter, kept: string, mark: number | undefined): 'written' | 'exists' {
  const { place, mode, onStep } = writer;
  // Another writer may have moved this set already; then what is in place is this one's.
  if (mode === 'new' && isTaken(place) && look(partPath(place, parts[0]))?.ino !== mark) {
    rmSync(pendingPath(place, mode), { recursive: true, force: true });
    return 'exists';
  }
  try {
    drain(place, mode, onStep);
  } catch (error) {
    restore(place, mode, kept);
    throw error;
  }
  return 'written';
}

function isTaken(place: SetPlace): boolean {
  return parts.some((part) => look(partPath(place, part)) !== undefined);
}

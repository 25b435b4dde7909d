/** From a set that counts to files in their places, and back when that fails (set.ts says how). Not making one (write.ts). */
import { renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { linkOrCopy, syncFolder } from './disk.js';
import { isStoreFolder, look, type Mode, partPath, parts, pendingPath, type SetPlace } from './set.js';

/** Told before each step that changes the disk; what it throws is a failure of that step. */
export type OnStep = (step: string) => void;

/** Finishes what a writer began that is not done, or was killed. */
export function settle(place: SetPlace, onStep: OnStep): void {
  if (isStoreFolder(pendingPath(place, 'replace'))) drain(place, 'replace', onStep);
  if (!isStoreFolder(pendingPath(place, 'new'))) return;
  if (look(partPath(place, '.sha256')) === undefined) drain(place, 'new', onStep);
  else rmSync(pendingPath(place, 'new'), { recursive: true, force: true });
}

/** Moves the files of a committed set into place. Another process may be at it too; together they do it once. */
export function drain(place: SetPlace, mode: Mode, onStep: OnStep): void {
  const pending = pendingPath(place, mode);
  for (const part of parts) {
    onStep(`move ${part}`);
    move(join(pending, place.stem + part), partPath(place, part), mode);
  }
  syncFolder(place.folder);
  onStep('clean');
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
export function restore(place: SetPlace, mode: Mode, kept: string): void {
  for (const part of parts) {
    const before = join(kept, place.stem + part);
    if (look(before) !== undefined) renameSync(before, partPath(place, part));
    else rmSync(partPath(place, part), { force: true });
  }
  rmSync(pendingPath(place, mode), { recursive: true, force: true });
  syncFolder(place.folder);
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isId } from '../supervise/ids.js';
import { holdDirectory } from './held.js';
import { ensurePrivateDirectory } from './murmur-home.js';
import { mayBeHeld, recordsOf } from './session-lock.js';
import { isLeftOver } from './temporary.js';
import type { HeldDirectory, MurmurHome } from './types.js';

/** Folders of a records directory that the runtime moves finished files into. */
const stagedInto = ['.', 'out', 'blobs', 'logs'];

/**
 * Removes what killed processes left below the home, and returns the sessions among it: runtime directories, and files and
 * folders that were being made. The evidence is always the process that is gone (holder.ts), never an age. Records, work folders,
 * conversations and running records stay: retention and the readers of running records see to those.
 *
 * Only an unusable home throws. What cannot be removed is left for the next launch.
 */
export function removeLeftovers(home: MurmurHome): string[] {
  ensurePrivateDirectory(home.sessions);
  within(home.running, (running) => sweep(running, '.'));
  const sessions = holdDirectory(home.sessions);
  try {
    sweep(sessions, '.');
    return sessions
      .list('.')
      .filter(({ name, kind }) => kind === 'directory' && isId('ses', name) && removeSession(home, sessions, name))
      .map(({ name }) => name);
  } finally {
    sessions.close();
  }
}

function removeSession(home: MurmurHome, sessions: HeldDirectory, id: string): boolean {
  try {
    if (mayBeHeld(sessions, id)) return false;
    const records = recordsOf(sessions, id);
    // First, because the lock that names the records goes with the folder.
    if (records !== undefined) within(home.records, (all) => sweepRecords(all, records));
    return sessions.remove(id);
  } catch {
    // Another launch may be removing it too, and no launch depends on it being gone.
    return false;
  }
}

/** Uses the directory `path`; does nothing when nothing was ever made there. */
function within(path: string, use: (directory: HeldDirectory) => void): void {
  if (!existsSync(path)) return;
  const directory = holdDirectory(path);
  try {
    use(directory);
  } finally {
    directory.close();
  }
}

function sweepRecords(all: HeldDirectory, records: string): void {
  for (const folder of stagedInto) sweep(all, join(records, folder));
}

function sweep(directory: HeldDirectory, folder: string): void {
  try {
    for (const { name } of directory.list(folder)) if (isLeftOver(name)) directory.remove(join(folder, name));
  } catch {
    // A folder that is missing or cannot be read holds nothing that a launch depends on.
  }
}

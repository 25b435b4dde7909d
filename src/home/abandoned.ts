import { idTimeMs, isId } from '../supervise/ids.js';
import { holdDirectory } from './held.js';
import { ensurePrivateDirectory } from './murmur-home.js';
import { mayBeHeld } from './session-lock.js';
import type { HeldDirectory, MurmurHome } from './types.js';

/** A launch makes its folder and then its lock; a folder younger than this may be between the two. */
const settledMs = 60_000;

/**
 * Removes the runtime directories that killed sessions left behind, and returns their session ids. A folder goes only when its
 * lock names no living process. Records and work folders stay. A folder that cannot be removed is left for the next launch.
 */
export function removeAbandoned(home: MurmurHome, nowMs: number): string[] {
  ensurePrivateDirectory(home.sessions);
  const sessions = holdDirectory(home.sessions);
  try {
    return sessions
      .list('.')
      .filter(({ name, kind }) => kind === 'directory' && isSettled(name, nowMs) && !mayBeHeld(sessions, name))
      .map(({ name }) => name)
      .filter((name) => isRemoved(sessions, name));
  } finally {
    sessions.close();
  }
}

function isSettled(name: string, nowMs: number): boolean {
  return isId('ses', name) && nowMs - (idTimeMs(name) ?? nowMs) > settledMs;
}

function isRemoved(sessions: HeldDirectory, name: string): boolean {
  try {
    return sessions.remove(name);
  } catch {
    // Another launch may be removing it too, and no launch depends on it being gone.
    return false;
  }
}

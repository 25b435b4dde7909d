import { join } from 'node:path';
import { reasonOf } from '../errors/index.js';
import { idTimeMs, isId } from '../supervise/ids.js';
import { holdDirectory } from './held.js';
import { recordsGroup } from './session-folders.js';
import { mayBeHeld } from './session-lock.js';
import type { HeldDirectory, RetainLimits, RetentionReport, RetentionRequest } from './types.js';

/**
 * Removes the sessions that `trace.retain` no longer keeps: their records, grouped by workdir root, and the work folders the
 * runtime made for them (spec/session.md 14). A session is kept while every limit given holds.
 *
 * Never removed: the running session, any id at or after it, a session whose process may still run, an operator's folder.
 */
export function applyRetention({ home, folders, limits, nowMs }: RetentionRequest): RetentionReport {
  const stores = [join(home.records, recordsGroup(folders.workdirRoot)), folders.createdWorkdirs]
    .filter((path) => path !== undefined)
    .map((path) => holdDirectory(path));
  const sessions = holdDirectory(home.sessions);
  try {
    const reasons = new Set<string>();
    const targets: string[] = [];
    const failures: string[] = [];
    for (const [index, id] of olderSessions(stores, folders.sessionId).entries()) {
      // The running session is the first that is kept, the newest of these the second.
      const reason = overLimit(limits, index + 2, nowMs - (idTimeMs(id) ?? nowMs));
      if (reason === undefined || mayBeHeld(sessions, id)) continue;
      try {
        for (const store of stores) store.remove(id);
        targets.push(id);
        reasons.add(reason);
      } catch (error) {
        failures.push(`session ${id} could not be removed: ${reasonOf(error)}`);
      }
    }
    if (targets.length === 0) return { outcomes: [], failures };
    const reason = [...reasons].sort().join(', ');
    return { outcomes: [{ store: 'sessions', reason, removed: targets.length, targets }], failures };
  } finally {
    for (const directory of [...stores, sessions]) directory.close();
  }
}

/** Ids of recorded sessions minted before `sessionId`, newest first. */
function olderSessions(stores: readonly HeldDirectory[], sessionId: string): string[] {
  const ids = stores
    .flatMap((store) => store.list('.'))
    .filter(({ name, kind }) => kind === 'directory' && isId('ses', name) && name < sessionId)
    .map(({ name }) => name);
  return [...new Set(ids)].sort().reverse();
}

function overLimit(limits: RetainLimits, rank: number, ageMs: number): string | undefined {
  if (limits.maxSessions !== undefined && rank > limits.maxSessions) return 'max_sessions';
  if (limits.maxAgeMs !== undefined && ageMs > limits.maxAgeMs) return 'max_age';
  return undefined;
}

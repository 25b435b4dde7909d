/**
 * Who holds a session's folder: `sessions/<id>/.lock`. Its first line is `<pid> <start token>`; the second names the session's
 * records, relative to `~/.murmur/records`, so that a later launch finds what a killed session left half-written there.
 *
 * Upstream holds a kernel file lock. Node has none, so this names the process instead; what that does not stop: holder.ts.
 */
import { isProvablyGone, ownStartToken } from './holder.js';
import type { HeldDirectory } from './types.js';

const lockFile = '.lock';

export function writeLock(session: HeldDirectory, records: string): void {
  session.writeFile(lockFile, `${process.pid} ${ownStartToken()}\n${records}\n`, { mode: 0o600 });
}

/**
 * Whether a process may still be using the folder of session `id` below `sessions`. Only no lock, or one whose process is
 * provably gone, says no. A folder gets its name after its lock, and loses its lock only while it is being removed.
 */
export function mayBeHeld(sessions: HeldDirectory, id: string): boolean {
  const [first] = linesOf(sessions, id) ?? [];
  if (first === undefined) return false;
  const [pid, token] = first.split(' ');
  return !isProvablyGone(Number(pid), token);
}

/** Where the session keeps its records; `undefined` when its lock does not say. */
export function recordsOf(sessions: HeldDirectory, id: string): string | undefined {
  return linesOf(sessions, id)?.[1] || undefined;
}

function linesOf(sessions: HeldDirectory, id: string): string[] | undefined {
  return sessions.readFile(`${id}/${lockFile}`, { limitBytes: 8_192 })?.toString('utf8').trimEnd().split('\n');
}

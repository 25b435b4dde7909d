/**
 * Who holds a session's folder: `sessions/<id>/.lock`, one line `<pid> <start token>`.
 *
 * Upstream holds a kernel file lock. Node has none, so this names the process instead, and a reader compares the name with the
 * process table. Does not stop: a reader on another machine that shares the home; a pid that is used again within one clock
 * tick of the same boot.
 */
import { startToken } from './process-identity.js';
import type { HeldDirectory } from './types.js';

const lockFile = '.lock';

/** Largest pid_t. `process.kill` reads 0 and negative numbers as groups, so a number is checked before it is used. */
const maxPid = 0x7fffffff;

export function writeLock(session: HeldDirectory): void {
  session.writeFile(lockFile, `${process.pid} ${startToken(process.pid) ?? ''}\n`, { mode: 0o600 });
}

/**
 * Whether a process may still be using the folder of session `id` below `sessions`. Only no lock, or one whose process is provably gone, says no: a
 * reading that could not be taken is not evidence.
 */
export function mayBeHeld(sessions: HeldDirectory, id: string): boolean {
  const bytes = sessions.readFile(`${id}/${lockFile}`, { limitBytes: 256 });
  if (bytes === undefined) return false;
  const [pid, token] = bytes.toString('latin1').trim().split(' ');
  const number = Number(pid);
  if (!Number.isInteger(number) || number <= 0 || number > maxPid) return true;
  if (!exists(number)) return false;
  const fresh = startToken(number);
  return fresh === undefined || token === undefined || fresh === token;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

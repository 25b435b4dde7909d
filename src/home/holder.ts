/**
 * Who made something, as a pid and the moment its process started, and whether that process may still be using it. What a killed
 * process left behind is told by this from what a living one is at work on; age says nothing.
 *
 * Does not stop: a holder on another machine, or in another pid namespace, that shares the home; a pid that is used again within
 * one clock tick of the same boot.
 */
import { readFileSync } from 'node:fs';
import { parseStat, startToken } from './process-identity.js';

/** Largest pid_t. `process.kill` reads 0 and negative numbers as groups, so a number is checked before it is used. */
const maxPid = 0x7fffffff;

let own: string | undefined;

/** The start token of this process; `""` where it cannot be read. */
export function ownStartToken(): string {
  own ??= startToken(process.pid) ?? '';
  return own;
}

/**
 * True only on proof: nobody has the pid, its process has exited, or it started at another time than `token`. A reading that could
 * not be taken, and a number that is no pid, prove nothing.
 */
export function isProvablyGone(pid: number, token: string | undefined): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid > maxPid) return false;
  if (!exists(pid)) return true;
  const stat = statOf(pid);
  if (stat === undefined) return false;
  if (stat.state === 'Z') return true; // it exited; nobody has waited for it yet
  return token !== undefined && token !== '' && stat.startToken !== undefined && stat.startToken !== token;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function statOf(pid: number) {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

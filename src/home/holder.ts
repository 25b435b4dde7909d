/**
 * Who made something, as a pid and the moment its process started, and whether that process may still be using it. What a killed
 * process left behind is told by this from what a living one is at work on; age says nothing. What a running record says of a
 * process is decided from the same reading (src/liveness/process.ts).
 *
 * Does not stop: a holder on another machine, or in another pid namespace, that shares the home; a pid that is used again within
 * one clock tick of the same boot.
 */
import { lookOnLinux, type Sighting, startToken } from './process-identity.js';

/** Largest `pid_t`. */
const maxPid = 0x7fffffff;

/** What answers for a pid. */
export interface PidSource {
  /** `kill(2)` with signal 0. Throws an error with the errno's name as `code`. Only ever called with a single positive pid. */
  kill(pid: number, signal: 0): void;
  /** `undefined` when the reading could not be taken, which is no evidence of anything. */
  look(pid: number): Sighting | undefined;
}

/** Whether a process that has not exited holds the pid, what was seen of it, and the finding in words. */
export interface Holding {
  readonly alive: boolean;
  readonly sighting?: Sighting | undefined;
  readonly says: string;
}

const system: PidSource = { kill: (pid, signal) => void process.kill(pid, signal), look: (pid) => lookOnLinux(pid) };

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
  if (!isPid(pid)) return false;
  const { alive, sighting } = holdingOf(pid, system);
  if (!alive) return true;
  return Boolean(token) && sighting?.startToken !== undefined && sighting.startToken !== token;
}

/**
 * Whether the number can be one process. `kill(2)` reads 0 as the caller's group and negative numbers as a group or as
 * everything, so this comes before every call that takes a pid.
 */
export function isPid(pid: number): boolean {
  return Number.isInteger(pid) && pid >= 1 && pid <= maxPid;
}

/** Layer 1 of spec/liveness.md 5: the pid is held by a process that is not a zombie. */
export function holdingOf(pid: number, source: PidSource): Holding {
  if (!isPid(pid)) return { alive: false, says: `${pid} is not a pid` };
  const refused = refusalOfProbe(pid, source);
  if (refused === 'ESRCH') return { alive: false, says: `no process holds pid ${pid}` };
  const sighting = source.look(pid);
  // A reading that failed is no sign of a zombie, and layer 2 fails for the same reason.
  if (sighting?.zombie) return { alive: false, says: `pid ${pid} has exited and was not waited on` };
  const by = refused === undefined ? '' : ` (kill: ${refused})`;
  return { alive: true, sighting, says: `pid ${pid} is held${by}` };
}

/**
 * Why signal 0 was refused, if it was. Only `ESRCH` proves that nothing holds the pid: `EPERM` is another user's process, and an
 * answer nobody expected is left to layer 2 (cases/reports row 64).
 */
function refusalOfProbe(pid: number, source: PidSource): string | undefined {
  try {
    source.kill(pid, 0);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException | null)?.code ?? 'unknown error';
  }
}

import { type Kernel, type Sighting, systemKernel } from './kernel.js';
import { errnoName } from './os-error.js';
import type { Evidence, ProcessIdentity, ProcessState } from './types.js';

/** Largest `pid_t`. */
const maxPid = 0x7fffffff;

export interface ReadOptions {
  readonly kernel?: Kernel;
  /** Unix milliseconds, for evidence. */
  readonly now?: () => number;
}

/**
 * Layers 1 and 2: the pid is held, by the process that wrote the record. Local and cheap, so every record can be asked without
 * a network round trip.
 */
export function processState(identity: ProcessIdentity, options: ReadOptions = {}): ProcessState {
  const { alive, sighting } = holding(identity.pid, options.kernel ?? systemKernel);
  return classify(identity, alive, sighting?.startToken);
}

/** The same, with what each layer said. */
export function readProcess(
  identity: ProcessIdentity,
  { kernel = systemKernel, now = Date.now }: ReadOptions = {},
): { readonly state: ProcessState; readonly evidence: readonly Evidence[] } {
  const { alive, sighting, says } = holding(identity.pid, kernel);
  const at = now();
  const evidence: Evidence[] = [{ layer: 1, says, at }];
  if (alive) evidence.push({ layer: 2, says: startSays(identity, sighting?.startToken), at });
  return { state: classify(identity, alive, sighting?.startToken), evidence };
}

/**
 * Layers 1 and 2 over readings already taken. `freshToken` is read after the pid was found held, `undefined` when it could not
 * be read. A recorded `""` differs from every token, and a fresh `""` counts as unreadable, so two of them never match.
 */
export function classify(
  { pid, process_start }: ProcessIdentity,
  alive: boolean,
  freshToken: string | undefined,
): ProcessState {
  if (!alive) return { verdict: 'Gone', reason: `no process holds pid ${pid}` };
  if (!freshToken) return { verdict: 'Unverified', reason: `pid ${pid}'s start time could not be read` };
  if (freshToken === process_start) return { verdict: 'Alive' };
  return { verdict: 'Gone', reason: `pid ${pid} is held by a process that started at another time` };
}

/** Layer 1: whether a process that has not exited holds the pid. */
export function pidIsAlive(pid: number, kernel: Kernel = systemKernel): boolean {
  return holding(pid, kernel).alive;
}

/** When the pid's process started, as an opaque token of this machine; `undefined` when it could not be read. */
export function startToken(pid: number, kernel: Kernel = systemKernel): string | undefined {
  return isPid(pid) ? kernel.look(pid)?.startToken : undefined;
}

/** This process; `undefined` when its own start time cannot be read. */
export function identityOfThisProcess(): ProcessIdentity | undefined {
  const token = startToken(process.pid);
  return token === undefined ? undefined : { pid: process.pid, process_start: token };
}

/**
 * Whether the number can be one process. `kill(2)` reads 0 as the caller's group and negative numbers as a group or as
 * everything, so this comes before every call that takes a pid.
 */
export function isPid(pid: number): boolean {
  return Number.isInteger(pid) && pid >= 1 && pid <= maxPid;
}

interface Holding {
  readonly alive: boolean;
  readonly sighting?: Sighting | undefined;
  readonly says: string;
}

function holding(pid: number, kernel: Kernel): Holding {
  if (!isPid(pid)) return { alive: false, says: `${pid} is not a pid` };
  const refused = refusalOfProbe(pid, kernel);
  if (refused === 'ESRCH') return { alive: false, says: `no process holds pid ${pid}` };
  const sighting = kernel.look(pid);
  // A reading that failed is no sign of a zombie, and layer 2 fails for the same reason.
  if (sighting?.zombie) return { alive: false, says: `pid ${pid} has exited and was not waited on` };
  const by = refused === undefined ? '' : ` (kill: ${refused})`;
  return { alive: true, sighting, says: `pid ${pid} is held${by}` };
}

/**
 * Why signal 0 was refused, if it was. Only `ESRCH` proves that nothing holds the pid: `EPERM` is another user's process, and an
 * answer nobody expected is left to layer 2 (cases/reports row 64).
 */
function refusalOfProbe(pid: number, kernel: Kernel): string | undefined {
  try {
    kernel.kill(pid, 0);
    return undefined;
  } catch (error) {
    return errnoName(error) ?? 'unknown error';
  }
}

function startSays({ pid, process_start }: ProcessIdentity, fresh: string | undefined): string {
  if (!fresh) return `pid ${pid}'s start time could not be read`;
  if (fresh === process_start) return `it started at ${fresh}, as recorded`;
  return `it started at ${fresh}, recorded is ${process_start === '' ? 'nothing' : JSON.stringify(process_start)}`;
}

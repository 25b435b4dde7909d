import { holdingOf, isPid } from '../home/index.js';
import { type Kernel, systemKernel } from './kernel.js';
import type { Evidence, ProcessIdentity, ProcessState } from './types.js';

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
  const { alive, sighting } = holdingOf(identity.pid, options.kernel ?? systemKernel);
  return classify(identity, alive, sighting?.startToken);
}

/** The same, with what each layer said. */
export function readProcess(
  identity: ProcessIdentity,
  { kernel = systemKernel, now = Date.now }: ReadOptions = {},
): { readonly state: ProcessState; readonly evidence: readonly Evidence[] } {
  const { alive, sighting, says } = holdingOf(identity.pid, kernel);
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
  return holdingOf(pid, kernel).alive;
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

function startSays({ pid, process_start }: ProcessIdentity, fresh: string | undefined): string {
  if (!fresh) return `pid ${pid}'s start time could not be read`;
  if (fresh === process_start) return `it started at ${fresh}, as recorded`;
  return `it started at ${fresh}, recorded is ${process_start === '' ? 'nothing' : JSON.stringify(process_start)}`;
}

import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Pidfd, systemPidfd } from '../liveness/pidfd.js';

/**
 * Children of a process, oldest first, as the kernel lists them; none for one that is gone. Each has that parent now and may have
 * another process' number a moment later: act on them at once.
 */
export function childrenOf(pid: number): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return list === '' ? [] : list.split(' ').map(Number);
  } catch {
    return [];
  }
}

/** The name of a process, `undefined` when it is gone. */
export function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}

/** Sends a signal to a process, or with a negative pid to a group. A process that is gone is no error. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether a process has a handler for the signal, ignores it or puts it off; false for one that is gone. */
export function handles(pid: number, signal: NodeJS.Signals): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const bit = 1n << BigInt(constants.signals[signal] - 1);
    return [...status.matchAll(/^Sig(?:Cgt|Ign|Blk):\t([0-9a-f]+)$/gm)].some(
      ([, mask]) => (BigInt(`0x${mask}`) & bit) !== 0n,
    );
  } catch {
    return false;
  }
}

/** One process, whoever has its number later. */
export interface Sighted {
  readonly pid: number;
  /** When it started, in ticks since the boot. */
  readonly start: string;
}

/** The process of that number now, unless it has ended. */
export function sight(pid: number): Sighted | undefined {
  const facts = statOf(pid);
  return facts === undefined ? undefined : { pid, start: facts.start };
}

/** What the kernel says of a process that has not ended. */
function statOf(pid: number): { readonly group: number; readonly start: string } | undefined {
  try {
    // The name, in brackets, can hold anything (proc_pid_stat(5): state is field 3, the group field 5, the start field 22).
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : { group: Number(fields[2]), start: fields[19]! };
  } catch {
    return undefined;
  }
}

const loadAfterMs = 100;
const atOnce = 20;
/** Only a process the kernel itself is stuck in takes longer to go. */
const goneWithinMs = 10_000;

/**
 * Resolves when the process has ended. The first process of a PID namespace ends after all others in it. Gives up on one that does not
 * go although it was killed.
 */
export async function gone({ pid, start }: Sighted): Promise<void> {
  const isThere = () => sight(pid)?.start === start;
  if (!isThere()) return;
  if (!(await pidfdTells(pid, isThere))) await untilNot(isThere);
  loadLater();
}

/** What says it without being asked again and again. Loading it takes longer than a command, so not while one is being waited for. */
let pidfds: Pidfd | undefined;
let isLoading = false;

function loadLater(): void {
  if (isLoading) return;
  isLoading = true;
  const load = () => {
    pidfds = systemPidfd();
  };
  setTimeout(load, loadAfterMs).unref();
}

/** Waits for the end of a process by a descriptor of it; false where there are none. */
async function pidfdTells(pid: number, isThere: () => boolean): Promise<boolean> {
  const kernel = pidfds;
  if (kernel === undefined) return false;
  const opened = kernel.open(pid);
  if ('errno' in opened) return false;
  const { fd } = opened;
  const patience = new AbortController();
  try {
    await new Promise<void>((resolve) => {
      const look = () => void (isThere() || resolve());
      const watch = kernel.watch(fd, look, { keepAlive: true });
      const over = () => watch.close();
      patience.signal.addEventListener('abort', over, { once: true });
      void sleep(goneWithinMs, undefined, { signal: patience.signal }).then(resolve, () => undefined);
      // The descriptor is of whoever had the number when it was opened.
      look();
    });
    return true;
  } catch {
    return false;
  } finally {
    patience.abort();
    kernel.close(fd);
  }
}

/** Resolves when no process of a killed group is left. Gives up likewise. */
export async function groupGone(group: number): Promise<void> {
  await untilNot(() => hasMembers(group));
}

async function untilNot(isThere: () => boolean): Promise<void> {
  const end = performance.now() + goneWithinMs;
  for (let look = 0; isThere() && performance.now() < end; look += 1) {
    // It is on its way out when this is called, mostly for less than a millisecond.
    await (look < atOnce ? nextTurn() : sleep(1));
  }
}

function hasMembers(group: number): boolean {
  try {
    process.kill(-group, 0);
    // It also counts those that have ended and that nobody waits for.
    return readdirSync('/proc').some((name) => /^\d+$/.test(name) && statOf(Number(name))?.group === group);
  } catch {
    return false;
  }
}

/**
 * The end of the process, whatever is left running. Node's own exit waits for every thread, so one that a system call holds (the
 * open of a FIFO nobody writes to, a name server that does not answer) would keep the process for ever, and its exit status
 * with it (cases/reports row 1). Not the end of a session: launch.ts has released and flushed everything by now.
 *
 * Does not stop: a main thread that is itself held; a thread in uninterruptible sleep, which no process of this machine can end.
 */
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { koffi } from '../liveness/native.js';

/** How long threads that were asked to end may take. */
const graceMs = 250;

/** Work of Node's thread pool that a system call can hold. */
const heldInPool = /^(?:FSReq|GetAddrInfo|GetNameInfo)/;

const workers = new Set<Worker>();

/** Keeps count of worker threads from now on. Call it before the first one starts. */
export function watchThreads(): void {
  process.on('worker', (worker) => {
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
  });
}

/** Ends the process with `status`, also when a thread cannot be stopped. Never returns. */
export async function leave(status: number): Promise<never> {
  for (const worker of workers) void worker.terminate();
  const endsAt = performance.now() + graceMs;
  while (isHeld() && performance.now() < endsAt) await sleep(5);
  if (!isHeld()) process.exit(status);
  // What every other end of the process does too: the last running records are taken back here.
  process.emit('exit', status);
  return endAtOnce(status);
}

function isHeld(): boolean {
  return workers.size > 0 || process.getActiveResourcesInfo().some((name) => heldInPool.test(name));
}

/** Ends the process without waiting for any thread: by `_exit(2)`, else by a signal that says the same, else by SIGKILL. */
function endAtOnce(status: number): never {
  try {
    koffi()?.load(null).func('void _exit(int)')(status);
  } catch {
    // No such symbol here; the signals remain.
  }
  const signal = signalOf(status);
  if (signal === 'SIGKILL') writeSync(2, `mur: a thread could not be stopped; the exit status would be ${status}\n`);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  for (;;) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, graceMs); // it is on its way to this very thread
    process.kill(process.pid, 'SIGKILL');
  }
}

/** The signal that a shell reports as `status`; SIGKILL for a status that is none's. */
function signalOf(status: number): NodeJS.Signals {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    if (status === 128 + constants.signals[signal]) return signal;
  return 'SIGKILL';
}

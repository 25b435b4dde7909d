/** Sessions of the real chart that come and go under one supervisor. Not a test. */
import { createActor } from 'xstate';
import { createSupervisor } from '../../src/supervise/index.js';
import { heapInUse } from '../bench/heap.js';
import { isIdle, lightSpec } from '../bench/light-session.js';

export interface Churned {
  /** How much more heap was in use after `sessions` than before them. */
  readonly grownBytes: number;
  /** Delayed events that nobody waits for any more. */
  readonly scheduled: readonly string[];
}

/** Starts and ends `sessions` in waves of 250, after `warmUp` others that fill what is filled once. */
export async function churn({ sessions, warmUp }: { sessions: number; warmUp: number }): Promise<Churned> {
  const wave = 250;
  const reports: unknown[] = [];
  const sup = createActor(createSupervisor({ report: ({ reason }) => reports.push(reason) })).start();
  const { children } = sup.getSnapshot().context;
  let started = 0;
  const until = async (total: number): Promise<void> => {
    while (started < total) {
      const ids = Array.from({ length: Math.min(wave, total - started) }, () => `s${started++}`);
      for (const id of ids) sup.send({ type: 'sup.spawn', child: lightSpec(id) });
      await seen(() => [...children.values()].every(({ ref }) => isIdle(ref?.getSnapshot())));
      for (const id of ids) sup.send({ type: 'sup.terminate', id });
      await seen(() => children.size === 0);
      if (reports.length > 0) throw new Error(`a session ended by itself: ${String(reports[0])}`);
    }
  };
  try {
    await until(warmUp);
    const before = await heapInUse();
    await until(warmUp + sessions);
    const grownBytes = (await heapInUse()) - before;
    return { grownBytes, scheduled: Object.keys(sup.system.getSnapshot()._scheduledEvents) };
  } finally {
    sup.stop();
  }
}

async function seen(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

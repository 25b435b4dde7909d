import { setTimeout as sleepTimer } from 'node:timers/promises';

/**
 * Time as the rest of mur sees it. Wall time is for stamps and files; every wait uses monotonic time, so a stepped system
 * clock makes no wait endless or instant (cases/reports row 68).
 */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the abort reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleepTimer(ms, undefined, signal === undefined ? {} : { signal });
  },
};

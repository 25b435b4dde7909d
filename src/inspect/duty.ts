import type { Limits } from './limits.js';

/** What a slice of work leaves: nothing, more of it, or something to look at again in a tick. */
export type Left = 'nothing' | 'more' | 'later';

/**
 * Runs work in slices that together take at most a fixed part of the thread's time, and a smaller one while the thread has no time
 * left over: what is taken then is taken from the sessions. Holds no process open.
 *
 * `work` gets the time by which it should be done, on the scale of `performance.now()`.
 */
export class Duty {
  readonly #work: (untilMs: number) => Left;
  readonly #limits: Limits;
  #timer: NodeJS.Timeout | undefined;
  /** When the rest after the last slice is over. */
  #restedAt = 0;
  #loop = performance.eventLoopUtilization();
  #isStopped = false;

  constructor(work: (untilMs: number) => Left, limits: Limits) {
    this.#work = work;
    this.#limits = limits;
  }

  /** There is something to do, `afterMs` from now or once it has rested. */
  wake(afterMs: number = this.#limits.tickMs): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    const waitMs = Math.max(afterMs, this.#restedAt - performance.now());
    this.#timer = setTimeout(() => this.#slice(), waitMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #slice(): void {
    this.#timer = undefined;
    const startedAt = performance.now();
    const left = this.#work(startedAt + this.#limits.sliceMs);
    const endedAt = performance.now();
    this.#restedAt = endedAt + (endedAt - startedAt) * this.#restFactor();
    if (left !== 'nothing') this.wake(left === 'more' ? 1 : this.#limits.tickMs);
  }

  /** By how busy the thread was since the last slice. */
  #restFactor(): number {
    const loop = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(loop, this.#loop);
    this.#loop = loop;
    return utilization > this.#limits.busyShare ? this.#limits.busyRestFactor : this.#limits.restFactor;
  }
}

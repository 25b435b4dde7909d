/** The time budget of one guest call. Pausing stops the clock (request-input); everything else keeps it running. */

const longestTimerMs = 2 ** 31 - 1;

export class Deadline {
  readonly #onExpire: () => void;
  #leftMs = 0;
  #startedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onExpire: () => void) {
    this.#onExpire = onExpire;
  }

  /** Gives a fresh budget, whatever was left of an older one. */
  start(budgetMs: number): void {
    this.stop();
    this.#leftMs = budgetMs;
    this.resume();
  }

  pause(): void {
    if (this.#startedAt === undefined) return;
    this.#leftMs -= performance.now() - this.#startedAt;
    this.stop();
  }

  resume(): void {
    if (this.#startedAt !== undefined) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#expire, Math.min(Math.max(this.#leftMs, 0), longestTimerMs));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#startedAt = undefined;
  }

  /**
   * A busy main thread runs an overdue timer before it reads the result that arrived in time. The check phase comes after the
   * messages, so a call that is done by then has stopped this clock.
   */
  readonly #expire = (): void => {
    setImmediate(() => {
      if (this.#startedAt === undefined) return;
      this.stop();
      this.#onExpire();
    });
  };
}

import type { Clock } from '../supervise/clock.js';

/** Longest delay a timer takes; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The one text that tells the model how much time is left (spec/session.md 11). */
export class DeadlineNotice {
  readonly #endsAtMs: number;
  readonly #marginMs: number;
  readonly #clock: Clock;
  #given = false;

  constructor(clock: Clock, deadlineMs: number, marginSeconds: number | undefined) {
    this.#clock = clock;
    this.#endsAtMs = clock.monotonic() + deadlineMs;
    this.#marginMs = marginSeconds === undefined ? Math.min(300_000, deadlineMs / 10) : marginSeconds * 1000;
  }

  /** The notice, the first time it is asked for inside the margin; `undefined` otherwise. */
  take(): string | undefined {
    const leftMs = this.#endsAtMs - this.#clock.monotonic();
    if (this.#given || leftMs > this.#marginMs) return undefined;
    this.#given = true;
    const seconds = Math.max(0, Math.round(leftMs / 1000));
    return `[session] This session ends in ${seconds} s, at its deadline. Finish what matters most and answer now.`;
  }
}

/** Calls `reached` once `deadlineMs` of monotonic time have passed; stops when the returned function is called. */
export function countdown(clock: Clock, deadlineMs: number, reached: () => void): () => void {
  const endsAtMs = clock.monotonic() + deadlineMs;
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    const leftMs = endsAtMs - clock.monotonic();
    if (leftMs <= 0) reached();
    else timer = setTimeout(arm, Math.min(leftMs, longestTimerMs));
  };
  timer = setTimeout(arm, 0);
  return () => clearTimeout(timer);
}

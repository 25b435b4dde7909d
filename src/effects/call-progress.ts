import type { Clock } from '../supervise/clock.js';

interface Known {
  held: number;
  said: number;
  saidAtMs: number;
}

/** How long reports of one call are held together. */
const coalesceMs = 100;

/**
 * How much of each call's input a model has written in one turn (spec/door.md 15.2, `tool-call-progress`). Reports only grow: a smaller
 * one, and one of a call that never began, is ignored. Many come at once; what is held back is given by `flush`.
 */
export class CallProgress {
  readonly #clock: Clock;
  readonly #calls = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True the first time a call of this id begins. */
  begin(callId: string): boolean {
    if (callId === '' || this.#calls.has(callId)) return false;
    this.#calls.set(callId, { held: 0, said: 0, saidAtMs: Number.NEGATIVE_INFINITY });
    return true;
  }

  /** The bytes to tell of now, if any. */
  report(callId: string, bytes: number): number | undefined {
    const call = this.#calls.get(callId);
    if (call === undefined || bytes <= call.held) return undefined;
    call.held = bytes;
    const nowMs = this.#clock.monotonic();
    if (nowMs - call.saidAtMs < coalesceMs) return undefined;
    call.saidAtMs = nowMs;
    call.said = bytes;
    return bytes;
  }

  /** What was held back, call by call; no call is known afterwards. */
  flush(): readonly { readonly callId: string; readonly bytes: number }[] {
    const held = [...this.#calls].filter(([, { held, said }]) => held > said);
    this.#calls.clear();
    return held.map(([callId, call]) => ({ callId, bytes: call.held }));
  }
}

import type { GuestBridge } from '../../protocol.js';
import type { HttpWait, PollArgs } from '../http/messages.js';

/** What a pollable waits for: nothing, an instant of the monotonic clock, or something only the main thread can see. */
export type Wait =
  | { readonly kind: 'ready' }
  | { readonly kind: 'time'; readonly atNs: bigint }
  | { readonly kind: 'http'; readonly wait: HttpWait };

export interface Poller {
  /** Nanoseconds since this call began. */
  nowNs(): bigint;
  pollable(wait: Wait): Pollable;
  /** Indexes of the pollables that are ready; at least one. Blocks this thread until then. */
  poll(pollables: readonly Pollable[]): Uint32Array;
}

/** `wasi:io/poll#pollable`. */
export class Pollable {
  readonly #poller: Poller;
  readonly wait: Wait;

  constructor(poller: Poller, wait: Wait) {
    this.#poller = poller;
    this.wait = wait;
  }

  ready(): boolean {
    const now = this.#poller.pollable({ kind: 'ready' });
    return this.#poller.poll([now, this]).includes(1);
  }

  block(): void {
    this.#poller.poll([this]);
  }
}

/** Sleeps shorter than this stay on the thread; longer ones go over the bridge, so a sleeping guest gives its permit back. */
const localSleepNs = 2_000_000n;
/** setTimeout on the main thread takes 31 bits; a longer wait comes back here and waits again. */
const longestWaitMs = 1_000_000_000;

export function createPoller(bridge: GuestBridge): Poller {
  const originNs = process.hrtime.bigint();
  const never = new Int32Array(new SharedArrayBuffer(4));
  const nowNs = () => process.hrtime.bigint() - originNs;

  const waitAtMost = (waits: readonly HttpWait[], leftNs: bigint | undefined): readonly number[] => {
    if (waits.length === 0 && leftNs !== undefined && leftNs <= localSleepNs) {
      Atomics.wait(never, 0, 0, Number(leftNs) / 1e6);
      return [];
    }
    const timeoutMs = leftNs === undefined ? undefined : Math.min(Math.ceil(Number(leftNs) / 1e6), longestWaitMs);
    return bridge.call<readonly number[]>('http.poll', { waits, timeoutMs } satisfies PollArgs);
  };

  const pollOnce = (pollables: readonly Pollable[]): number[] => {
    const now = nowNs();
    const ready: number[] = [];
    const waits: HttpWait[] = [];
    const askedBy: number[] = [];
    let nearestNs: bigint | undefined;
    for (const [index, { wait }] of pollables.entries()) {
      if (wait.kind === 'http') {
        waits.push(wait.wait);
        askedBy.push(index);
      } else if (wait.kind === 'ready' || wait.atNs <= now) {
        ready.push(index);
      } else if (nearestNs === undefined || wait.atNs < nearestNs) {
        nearestNs = wait.atNs;
      }
    }
    if (ready.length > 0) nearestNs = now;
    if (ready.length === 0 || waits.length > 0) {
      const leftNs = nearestNs === undefined ? undefined : nearestNs - now;
      for (const position of waitAtMost(waits, leftNs)) ready.push(askedBy[position]!);
    }
    return ready.sort((a, b) => a - b);
  };

  const poller: Poller = {
    nowNs,
    pollable: (wait) => new Pollable(poller, wait),
    poll: (pollables) => {
      // The interface says a call with nothing to wait for traps; waiting for ever is the alternative.
      if (pollables.length === 0) throw new Error('wasi:io/poll: poll of an empty list');
      for (;;) {
        const ready = pollOnce(pollables);
        if (ready.length > 0) return Uint32Array.from(ready);
      }
    },
  };
  return poller;
}

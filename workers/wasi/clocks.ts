import type { Pollable, Poller } from './io/poll.js';

/** `wasi:clocks`: a monotonic clock that starts at zero with the call, and the wall clock in milliseconds. */
export function clockImports(poller: Poller): Record<string, Record<string, unknown>> {
  return {
    'wasi:clocks/monotonic-clock': {
      now: (): bigint => poller.nowNs(),
      resolution: (): bigint => 1n,
      subscribeInstant: (atNs: bigint): Pollable => poller.pollable({ kind: 'time', atNs }),
      subscribeDuration: (ns: bigint): Pollable => poller.pollable({ kind: 'time', atNs: poller.nowNs() + ns }),
    },
    'wasi:clocks/wall-clock': {
      now: () => datetimeOfMs(Date.now()),
      resolution: () => ({ seconds: 0n, nanoseconds: 1_000_000 }),
    },
  };
}

/** `wasi:clocks/wall-clock#datetime`. */
export interface Datetime {
  readonly seconds: bigint;
  readonly nanoseconds: number;
}

function datetimeOfMs(ms: number): Datetime {
  return { seconds: BigInt(Math.floor(ms / 1000)), nanoseconds: (ms % 1000) * 1_000_000 };
}

/** From one moment to another: playing, and step by step. */
import type { Axis } from './axis.js';
import type { SessionModel } from './model.js';

export const speeds = [0.25, 1, 4, 16] as const;

/** From the start when the session is shown as it is now. */
export function startPlaying(isNow: boolean, axis: Axis) {
  return isNow
    ? { playing: true, call: null, cursor: { at: axis.start, q: Number.POSITIVE_INFINITY } }
    : { playing: true, call: null };
}

/** The time of the next thing that happened at another moment, forward or back. */
export function stepFrom({ entries }: SessionModel, at: number, by: number): number {
  const times = entries.filter(({ type }) => type === 'snap' || type === 'trace' || type === 'message');
  const next = by > 0 ? times.find((entry) => entry.at > at) : times.findLast((entry) => entry.at < at);
  return next?.at ?? (by > 0 ? (times.at(-1)?.at ?? at) : (times[0]?.at ?? at));
}

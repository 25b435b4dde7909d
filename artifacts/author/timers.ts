/** `setTimeout` and its kin over the monotonic clock: the guest sleeps in the host until the next one is due. */
import clock from 'wasj:clocks/monotonic-clock@0.2.9';
import { GuestPromise, idle } from './loop.js';

interface Timer {
  readonly id: number;
  readonly run: () => void;
  readonly everyMs?: number;
  dueMs: number;
}

const timers = new Map<number, Timer>();
let lastId = 0;
/** Sleeps so far. Time spent computing counts as none, which keeps the order of timers and never makes one late. */
let nowMs = 0;

function add(run: () => void, ms: number, isRepeated: boolean): number {
  const waitMs = Math.max(0, Number(ms) || 0);
  const id = ++lastId;
  timers.set(id, { id, run, dueMs: nowMs + waitMs, ...(isRepeated ? { everyMs: Math.max(1, waitMs) } : {}) });
  idle.wait = runNext;
  return id;
}

function runNext(): boolean {
  let next: Timer | undefined;
  for (const timer of timers.values()) if (next === undefined || timer.dueMs < next.dueMs) next = timer;
  if (next === undefined) return false;
  if (next.dueMs > nowMs) clock.subscribeDuration(Math.round((next.dueMs - nowMs) * 1e6)).block();
  nowMs = next.dueMs;
  if (next.everyMs === undefined) timers.delete(next.id);
  else next.dueMs += next.everyMs;
  next.run();
  return true;
}

export function setTimeout(run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): number {
  return add(() => run(...given), ms, false);
}

export function setInterval(run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): number {
  return add(() => run(...given), ms, true);
}

export function clearTimeout(id: number | undefined): void {
  if (id !== undefined) timers.delete(id);
}

export const clearInterval = clearTimeout;

/** Settles `ms` milliseconds from now. */
export function sleep(ms: number): PromiseLike<void> {
  return new GuestPromise((resolve) => setTimeout(resolve, ms)) as unknown as PromiseLike<void>;
}

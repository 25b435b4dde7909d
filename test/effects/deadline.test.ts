import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countdown, DeadlineNotice } from '../../src/effects/deadline.js';
import type { Clock } from '../../src/supervise/index.js';

/** The system's clock under vitest's fake timers: `performance` and timers move together, `Date` only when told to. */
const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: () => Promise.reject(new Error('nothing here sleeps')),
};
const hour = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('the countdown to a deadline', () => {
  it.each([0, -hour, hour])('takes its time whatever the wall clock does: a step of %i ms', (stepMs) => {
    const reached = vi.fn();
    countdown(clock, 10_000, reached);
    vi.advanceTimersByTime(4_000);
    vi.setSystemTime(Date.now() + stepMs);
    vi.advanceTimersByTime(5_999);
    expect(reached).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(reached).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('can be longer than a timer: thirty days', () => {
    const reached = vi.fn();
    countdown(clock, 30 * 24 * hour, reached);
    vi.advanceTimersByTime(30 * 24 * hour - 1);
    expect(reached).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(reached).toHaveBeenCalledTimes(1);
  });

  it('that is stopped reaches nothing and leaves no timer', () => {
    const reached = vi.fn();
    const stop = countdown(clock, 10_000, reached);
    vi.advanceTimersByTime(5_000);
    stop();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(hour);
    expect(reached).not.toHaveBeenCalled();
  });

  it('of no time is over as soon as the caller has returned, not within its call', () => {
    const reached = vi.fn();
    countdown(clock, 0, reached);
    expect(reached).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(reached).toHaveBeenCalledTimes(1);
  });
});

describe('the notice of a deadline', () => {
  it.each([
    ['a tenth of a short deadline', 100_000, undefined, 10_000],
    ['five minutes of a long one', 10 * hour, undefined, 300_000],
    ['what the manifest says', 100_000, 30, 30_000],
    ['the whole deadline, when the manifest says more', 100_000, 600, 100_000],
  ])('is given once, inside its margin: %s', (_, deadlineMs, seconds, marginMs) => {
    const notice = new DeadlineNotice(clock, deadlineMs, seconds);
    vi.setSystemTime(Date.now() + 24 * hour);
    if (marginMs < deadlineMs) {
      vi.advanceTimersByTime(deadlineMs - marginMs - 1);
      expect(notice.take()).toBeUndefined();
      vi.advanceTimersByTime(1);
    }
    expect(notice.take()).toContain(`ends in ${marginMs / 1000} s`);
    expect(notice.take()).toBeUndefined();
  });

  it('never speaks of less than no time', () => {
    const notice = new DeadlineNotice(clock, 1_000, undefined);
    vi.advanceTimersByTime(5_000);
    expect(notice.take()).toContain('ends in 0 s');
  });
});

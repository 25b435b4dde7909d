import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline } from '../../src/wasm/deadline.js';

// Only the timers are under control here: the clock they are compared with is the same one.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open() {
  let expired = 0;
  const deadline = new Deadline(() => {
    expired += 1;
  });
  return { deadline, expired: () => expired };
}

describe('deadline', () => {
  it('expires once, when its budget is used up', () => {
    const { deadline, expired } = open();
    deadline.start(100);
    vi.advanceTimersByTime(99);
    expect(expired()).toBe(0);
    vi.advanceTimersByTime(2);
    expect(expired()).toBe(1);
    vi.advanceTimersByTime(1000);
    expect(expired()).toBe(1);
  });

  it('does not count a pause', () => {
    const { deadline, expired } = open();
    deadline.start(100);
    vi.advanceTimersByTime(60);
    deadline.pause();
    deadline.pause();
    vi.advanceTimersByTime(10_000);
    deadline.resume();
    deadline.resume();
    vi.advanceTimersByTime(39);
    expect(expired()).toBe(0);
    vi.advanceTimersByTime(2);
    expect(expired()).toBe(1);
  });

  it('gives a fresh budget when it starts again', () => {
    const { deadline, expired } = open();
    deadline.start(100);
    vi.advanceTimersByTime(90);
    deadline.start(100);
    vi.advanceTimersByTime(90);
    expect(expired()).toBe(0);
    deadline.stop();
    vi.advanceTimersByTime(1000);
    expect(expired()).toBe(0);
  });

  it('lets a result that is already there win over an overdue timer', () => {
    const { deadline, expired } = open();
    deadline.start(100);
    // The result's message is handled between the timer and the check phase.
    setTimeout(() => deadline.stop(), 100);
    vi.advanceTimersByTime(200);
    expect(expired()).toBe(0);
  });

  it('takes a budget longer than the longest timer', () => {
    const { deadline, expired } = open();
    deadline.start(2 ** 40);
    vi.advanceTimersByTime(1000);
    expect(expired()).toBe(0);
    deadline.stop();
  });
});

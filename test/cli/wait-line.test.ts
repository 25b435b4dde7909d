import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { styleFor } from '../../src/cli/style.js';
import { WaitLine } from '../../src/cli/wait-line.js';
import { memoryOutput } from './memory-stream.js';
import { screenAfter } from './terminal.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function waiting(isTerminal: boolean) {
  const { output, text } = memoryOutput(isTerminal);
  const line = new WaitLine(output, { isTerminal, env: {}, noColor: true, style: styleFor(false) });
  return { line, text, screen: () => screenAfter(text(), 72) };
}

describe('the line of a wait', () => {
  test('appears after a moment, says for how long, and leaves nothing behind', () => {
    const { line, text, screen } = waiting(true);
    line.show('stopping sample@0.1.0');
    vi.advanceTimersByTime(250);
    expect(text()).toBe('');
    vi.advanceTimersByTime(2_000);
    expect(screen()[0]).toMatch(/^ {2}. stopping sample@0\.1\.0 {2}2\.\d s$/);
    line.clear();
    expect(screen()).toEqual(['']);
    const after = text();
    vi.advanceTimersByTime(2_000);
    expect(text()).toBe(after);
  });

  test('is drawn on a terminal only', () => {
    const { line, text } = waiting(false);
    line.show('stopping 2 sessions');
    vi.advanceTimersByTime(2_000);
    line.clear();
    expect(text()).toBe('');
  });
});

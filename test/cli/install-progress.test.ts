import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fetchText, InstallProgress } from '../../src/cli/install-progress.js';
import { styleFor } from '../../src/cli/style.js';
import { memoryOutput } from './memory-stream.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function progressOn(isTerminal: boolean) {
  const { output, text } = memoryOutput(isTerminal);
  const progress = new InstallProgress(output, { isTerminal, env: {}, noColor: true, style: styleFor(false) });
  return { progress, text };
}

test('where lines stay, what takes over a second is told once, and what is sooner never', () => {
  const { progress, text } = progressOn(false);
  progress.set('a', 'looking up a');
  progress.set('b', 'looking up b');
  vi.advanceTimersByTime(900);
  progress.end('b');
  expect(text()).toBe('');
  progress.set('a', fetchText('a-1.0.0.mur.zip', 3_210_000, 10_000_000));
  vi.advanceTimersByTime(5_000);
  progress.close();
  expect(text()).toBe('fetching a-1.0.0.mur.zip: 3.2 of 10.0 MB\n');
});

test('a terminal shows what is going on, redrawn, and nothing of it stays', () => {
  const { progress, text } = progressOn(true);
  progress.set('a', fetchText('a-1.0.0.mur.zip', 3_210_000, undefined));
  vi.advanceTimersByTime(200);
  expect(text()).toBe('');
  vi.advanceTimersByTime(400);
  expect(text()).toContain('fetching a-1.0.0.mur.zip: 3.2 MB  ');
  progress.end('a');
  const shown = text().length;
  vi.advanceTimersByTime(1_000);
  progress.close();
  expect(text().slice(shown)).toBe('');
  expect(text().endsWith('\r\u001b[J')).toBe(true);
});

test('text of a server cannot move the cursor', () => {
  const { progress, text } = progressOn(false);
  progress.set('a', fetchText('a\u001b[2J\n.mur.zip', 0, undefined));
  vi.advanceTimersByTime(2_000);
  progress.close();
  expect(text()).not.toContain('\u001b');
  expect(text().split('\n')).toHaveLength(2);
});

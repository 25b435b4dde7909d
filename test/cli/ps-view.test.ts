import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SessionRow } from '../../machines/registry/types.js';
import type { PsFlags } from '../../src/cli/ps.js';
import { PsView } from '../../src/cli/ps-view.js';
import { systemClock } from '../../src/supervise/clock.js';
import { memoryOutput } from './memory-stream.js';
import { screenAfter } from './terminal.js';

const startedAt = '2026-01-01T00:00:00Z';
const at = Date.parse(startedAt) + 5_000;
beforeEach(() => {
  vi.useFakeTimers({ now: at });
});
afterEach(() => {
  vi.useRealTimers();
});

const id = (digit: string) => `ses_${digit.repeat(32)}`;
const row = (digit: string, over: Partial<SessionRow> = {}): SessionRow => ({
  sessionId: id(digit),
  capsule: 'sample',
  version: '0.1.0',
  url: 'localhost:4242',
  detached: false,
  startedAt,
  workdir: '/tmp/records',
  pid: 1,
  processStart: '1',
  status: 'running',
  reason: null,
  ...over,
});
const removed = (digit: string, result: 'pruned' | 'ended') =>
  ({
    type: 'row.removed',
    sessionId: id(digit),
    row: row(digit),
    result,
    reason: 'no process holds pid 1',
    at,
  }) as const;

function view(isTerminal: boolean, flags: Partial<PsFlags> = {}) {
  const stdout = memoryOutput(isTerminal);
  const stderr = memoryOutput();
  const shown = new PsView({
    stdout: stdout.output,
    stderr: stderr.output,
    env: {},
    clock: systemClock,
    flags: { color: false, ...flags },
  });
  return { shown, text: stdout.text, screen: () => screenAfter(stdout.text(), 72) };
}

describe('on a terminal', () => {
  test('the table is redrawn in place, and uptimes grow', () => {
    const { shown, screen, text } = view(true);
    shown.show([], 2);
    expect(screen()).toEqual(['verifying 2 records', '', '0 running, Ctrl-C ends']);
    shown.show([row('2', { status: 'unreachable', reason: 'silent' }), row('1')], 2);
    expect(screen()).toEqual([
      'SESSION                               CAPSULE       STATUS',
      `${id('2')}  sample@0.1.0  unreachable`,
      `${id('1')}  sample@0.1.0  running`,
      '',
      '1 running, 1 unreachable, Ctrl-C ends',
    ]);
    const before = text();
    vi.advanceTimersByTime(3_000);
    expect(text().length).toBeGreaterThan(before.length);
    expect(screen()).toHaveLength(5);
    shown.end();
  });

  test('what is over scrolls above it, and the last table stays', () => {
    const { shown, screen, text } = view(true);
    shown.show([row('2'), row('1')], 2);
    shown.tell(removed('2', 'ended'));
    shown.tell(removed('1', 'pruned'));
    shown.show([], 0);
    shown.end();
    const after = text();
    vi.advanceTimersByTime(5_000);
    shown.show([row('3')], 1);
    expect(text()).toBe(after);
    expect(screen().filter((line) => line !== '')).toEqual([
      `ended:  ${id('2')}  sample@0.1.0`,
      `pruned: ${id('1')} — no process holds pid 1`,
      'no running capsules',
    ]);
  });

  test('a table higher than the screen is cut, and says so', () => {
    const { shown, screen } = view(true);
    const rows = Array.from({ length: 40 }, (_, index) =>
      row('1', { sessionId: `ses_${String(index).padStart(32, '0')}` }),
    );
    shown.show(rows, 40);
    expect(screen()).toHaveLength(23);
    expect(screen().at(-1)).toBe('40 running, 20 not shown, Ctrl-C ends');
    shown.end();
  });
});

describe('elsewhere', () => {
  test('each change is one line', () => {
    const { shown, text } = view(false);
    shown.show([row('1')], 1);
    shown.tell({ type: 'row.added', row: row('1'), at });
    shown.tell({ type: 'row.changed', row: row('1', { status: 'unreachable', reason: 'silent' }), at });
    shown.tell(removed('1', 'pruned'));
    shown.tell(removed('2', 'ended'));
    shown.end();
    expect(text().split('\n')).toEqual([
      `2026-01-01T00:00:05.000Z  running       ${id('1')}  sample@0.1.0  localhost:4242`,
      `2026-01-01T00:00:05.000Z  unreachable   ${id('1')}  sample@0.1.0  silent`,
      `2026-01-01T00:00:05.000Z  pruned        ${id('1')}  sample@0.1.0  no process holds pid 1`,
      `2026-01-01T00:00:05.000Z  ended         ${id('2')}  sample@0.1.0`,
      '',
    ]);
  });

  test('or one JSON object, on a terminal too', () => {
    const { shown, text } = view(true, { json: true });
    shown.show([row('1')], 1);
    shown.tell({ type: 'row.added', row: row('1'), at });
    shown.tell(removed('1', 'ended'));
    shown.end();
    expect(
      text()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { event: 'added', at: '2026-01-01T00:00:05.000Z', session_id: id('1'), status: 'running', uptime_s: 5 },
      { event: 'ended', at: '2026-01-01T00:00:05.000Z', session_id: id('1') },
    ]);
  });
});

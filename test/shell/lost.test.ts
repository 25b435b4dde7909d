import { describe, expect, test } from 'vitest';
import { lostMessage, scanLost } from '../../src/shell/index.js';
import type { ReadLine } from '../../src/trace/index.js';
import { taskStart } from '../trace/samples.js';

const start: ReadLine = { event_type: 'session_start', event_id: 'evt_1' };
const task = (id: string, trust = 'trusted'): ReadLine => ({ event_type: 'task_start', ...taskStart(id), trust });
const detached = (work: string, taskId: string | null = 'tsk_1', more: object = {}): ReadLine => ({
  event_type: 'shell_detached',
  timestamp: 1_700_000_000_000,
  turn: 0,
  task_id: taskId,
  work_id: work,
  binary: '/bin/make',
  command: 'make',
  grace_ms: 10_000,
  ...more,
});
const settled = (event_type: string, work_id: string): ReadLine => ({ event_type, work_id });
const ids = (...lines: ReadLine[]) => scanLost(lines).commands.map(({ workId }) => workId);

describe('background commands of a killed session (spec/shell.md 8.5)', () => {
  test('are those of which the trace tells no end, by id', () => {
    const lines = ['wrk_d', 'wrk_a', 'wrk_c', 'wrk_b', 'wrk_e'].map((work) => detached(work));
    expect(
      ids(
        start,
        ...lines,
        settled('shell_completed', 'wrk_a'),
        settled('shell_abandoned', 'wrk_b'),
        settled('shell_lost', 'wrk_c'),
      ),
    ).toEqual(['wrk_d', 'wrk_e']);
  });

  test('an end may stand before its beginning, and damaged lines tell nothing', () => {
    expect(ids(settled('shell_completed', 'wrk_a'), detached('wrk_a'))).toEqual([]);
    expect(ids(detached('wrk_X'), detached('../x'), detached('wrk_b', 'tsk_1', { binary: 7 }))).toEqual([]);
    expect(ids(detached('wrk_a', 'tsk_1', { timestamp: 'then' }), { event_type: 'shell_completed' })).toEqual([]);
  });

  test('hang on the start of their session, when it is known', () => {
    expect(scanLost([start, detached('wrk_a')])).toMatchObject({
      sessionStart: 'evt_1',
      commands: [{ workId: 'wrk_a', binary: '/bin/make', command: 'make', detachedAtMs: 1_700_000_000_000 }],
    });
    expect(scanLost([detached('wrk_a')]).sessionStart).toBeNull();
  });

  test.each([
    ['all trusted', [task('tsk_1'), detached('wrk_a')], 'trusted'],
    [
      'one untrusted',
      [task('tsk_1'), task('tsk_2', 'untrusted'), detached('wrk_a'), detached('wrk_b', 'tsk_2')],
      'untrusted',
    ],
    ['of an unknown task', [task('tsk_1'), detached('wrk_a', 'tsk_9')], 'untrusted'],
    ['of no task', [task('tsk_1'), detached('wrk_a', null)], 'untrusted'],
  ])('are trusted like the least of their tasks: %s', (_, lines, trust) => {
    expect(scanLost(lines as ReadLine[]).trust).toBe(trust);
  });

  test('are reported in words unlike those of a completion', () => {
    const message = lostMessage('ses_1', scanLost([detached('wrk_a', 'tsk_1', { command: 'a\nb' })]).commands);
    expect(message).not.toMatch(/^A background shell command finished/);
    expect(message).toContain('ses_1');
    expect(message).toContain(
      'work_id: wrk_a\nbinary: /bin/make\ncommand: a\\nb\ndetached_at: 2023-11-14T22:13:20.000Z',
    );
  });
});

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reconcileLost } from '../../../src/effects/command-lost.js';
import { type HeldDirectory, holdDirectory } from '../../../src/home/index.js';
import { isEvent, type ReadLine } from '../../../src/trace/index.js';
import { taskStart } from '../../trace/samples.js';

let root: string;
let traceDir: HeldDirectory;
let warnings: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mur-lost-'));
  traceDir = holdDirectory(root);
  warnings = [];
});
afterEach(() => {
  traceDir.close();
  rmSync(root, { recursive: true });
});

const trace = () => join(root, 'trace.jsonl');
const write = (...lines: object[]) => writeFileSync(trace(), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
const detached = (work: string, at: number) => ({
  event_type: 'shell_detached',
  timestamp: at,
  turn: 0,
  task_id: 'tsk_1',
  work_id: work,
  binary: '/bin/make',
  command: 'make all',
  grace_ms: 1,
});
const opening = [
  { event_type: 'session_start', event_id: 'evt_1' },
  { event_type: 'task_start', ...taskStart('tsk_1') },
];
const reconcile = (sessionId = 'ses_old') =>
  reconcileLost({
    traceDir,
    sessionId,
    bySession: 'ses_new',
    contextId: 'ctx_1',
    clock: { now: () => 9 },
    warn: (message) => warnings.push(message),
  });
const lines = () =>
  readFileSync(trace(), 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as ReadLine];
      } catch {
        return [];
      }
    });

test('8.5: marks each lost command in the trace it resumes, and reports them all in one task', () => {
  write(...opening, detached('wrk_b', 2), detached('wrk_a', 1));
  const task = reconcile();
  expect(task).toMatchObject({ contextId: 'ctx_1', origin: 'completion', trust: 'trusted', source: 'detached_lost' });
  expect(task!.text.match(/wrk_./g)).toEqual(['wrk_a', 'wrk_b']);
  const marks = lines().filter((line) => isEvent('shell_lost', line));
  expect(marks).toMatchObject(
    ['wrk_a', 'wrk_b'].map((work_id, index) => ({
      parent_id: 'evt_1',
      session_id: 'ses_old',
      work_id,
      binary: '/bin/make',
      command: 'make all',
      detached_at_ms: index + 1,
      reconciled_by_session: 'ses_new',
      reconciled_task_id: task!.taskId,
    })),
  );
  expect(Object.keys(marks[0]!)).not.toContain('exit_code');
});

test('8.5: never reports one twice, and has nothing to say of a whole trace', () => {
  write(...opening, detached('wrk_a', 1));
  expect(reconcile()).toBeDefined();
  expect(reconcile()).toBeUndefined();
  expect(lines().filter(({ event_type }) => event_type === 'shell_lost')).toHaveLength(1);
});

test('8.5: a torn tail costs nothing but itself', () => {
  write(...opening, detached('wrk_a', 1));
  appendFileSync(trace(), '{"event_type":"shell_comp');
  expect(reconcile()?.text).toContain('wrk_a');
  expect(readFileSync(trace(), 'utf8')).toMatch(/shell_comp\n\{"event_type":"shell_lost"/);
});

test('8.5: holds up no launch: no trace, no folder, no session', () => {
  expect(reconcile()).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining('ses_old')]);
  write(...opening, detached('wrk_a', 1));
  for (const sessionId of ['old', 'ses_/../x', '', '../ses_a']) expect(reconcile(sessionId)).toBeUndefined();
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionEvent } from '../../machines/session/machine.js';
import { takeCompletion } from '../../src/effects/completion.js';
import type { SessionWorld } from '../../src/effects/world.js';
import { holdDirectory } from '../../src/home/index.js';
import { systemClock } from '../../src/supervise/clock.js';
import { TaskRegistry, type TaskRequest } from '../../src/task/index.js';
import { TraceWriter } from '../../src/trace/index.js';

const report: TaskRequest = {
  ...{ taskId: 'tsk_r', contextId: 'ctx_1', text: 'A background shell command finished.', receivedAtMs: 1 },
  ...{ origin: 'completion', trust: 'untrusted', source: 'detached_shell' },
};

/** As much of a session as a report needs, with a real trace. */
function session(queueDepth: number) {
  const root = mkdtempSync(join(tmpdir(), 'mur-completion-'));
  const records = holdDirectory(root);
  const trace = new TraceWriter({ records, sessionId: 'ses_a', clock: systemClock });
  onTestFinished(async () => {
    await trace.close();
    records.close();
    rmSync(root, { recursive: true, force: true });
  });
  const sent: SessionEvent[] = [];
  const logged: unknown[] = [];
  const registry = new TaskRegistry({ acceptance: 'queue', queueDepth, now: () => 1 });
  const world = { registry, trace, refusing: undefined, send: (event: SessionEvent) => sent.push(event) } as unknown;
  Object.assign(world as object, { log: { write: (entry: unknown) => logged.push(entry) } });
  const lines = () => readFileSync(join(root, 'trace.jsonl'), 'utf8').split('\n').filter(Boolean);
  return { world: world as SessionWorld, sent, logged, lines: () => lines().map((line) => JSON.parse(line) as object) };
}

test('a report is a task of the background lane, also where no caller would get a place', () => {
  const { world, sent, lines } = session(0);
  takeCompletion(world, report);
  const task = { taskId: 'tsk_r', contextId: 'ctx_1', source: 'detached_shell', lane: 'bg' };
  expect(sent).toEqual([{ type: 'task.accepted', task }]);
  expect(lines()).toEqual([]);
});

test('one that comes while the session closes is refused with a line that says why', () => {
  const { world, sent, lines } = session(1);
  world.registry.close();
  world.refusing = 'session_stopped';
  takeCompletion(world, report);
  expect(sent).toEqual([]);
  expect(lines()).toMatchObject([
    {
      ...{ event_type: 'task_rejected', task_id: 'tsk_r', source: 'detached_shell', cause: 'session_stopped' },
      reason: 'task rejected: the session is closing',
    },
  ]);
});

test('one that cannot be taken is in the log, and throws nothing', () => {
  const { world, sent, logged } = session(1);
  takeCompletion(world, report);
  takeCompletion(world, report);
  expect(sent).toHaveLength(1);
  expect(logged).toMatchObject([{ level: 'error', message: expect.stringContaining('tsk_r') }]);
});

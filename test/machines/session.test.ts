import { describe, expect, test } from 'vitest';
import { sessionMachine } from '../../machines/index.js';
import { broke, done, type Fact, fold, valueText } from './table.js';

const input = {
  capsuleName: 'sample',
  capsuleVersion: '0.1.0',
  kind: 'agent' as const,
  hasTask: false,
  acceptance: 'single' as const,
  afterTask: 'exit' as const,
  maxTurns: 10,
  idleTimeoutMs: 30_000,
  drainLimitMs: 15_000,
};
const fault = { code: 'E-CAP-001', message: 'no' };
const ok = (id: string): Fact => done(id, { ok: true });
const launchTask = { taskId: 'tsk_launch', contextId: 'ctx_a', source: 'task_md' as const };
const sent = (taskId: string) => ({
  type: 'task.accepted',
  task: { taskId, contextId: 'ctx_a', source: 'a2a', lane: 'user' },
});
const ended = (taskId: string, source: string, status: string): Fact =>
  done('task', { taskId, source, status, turns: 1, fault: status === 'ok' ? null : fault });

const staged: Fact[] = [
  ...['validate', 'probe', 'contain', 'resolve', 'check', 'compile'].map(ok),
  done('mint', { ok: true, sessionId: 'ses_a' }),
  ok('write'),
];
const opened = (task: typeof launchTask | null): Fact[] => [
  ...staged,
  done('open', { ok: true, url: 'localhost:1', launchTask: task }),
];
const drained: Fact[] = [done('refuse', null), done('close', null), done('retire', null)];

const at = (facts: Fact[], over: object = {}) => {
  const snapshot = fold(sessionMachine, { ...input, ...over }, facts);
  return { state: valueText(snapshot.value), context: snapshot.context, output: snapshot.output };
};

describe('staging', () => {
  const steps = ['validating', 'probing', 'containing', 'resolving', 'checking', 'compiling', 'minting', 'writing'];

  test.each(steps.map((state, index) => [state, index] as const))('shows %s as a state, in order', (state, index) => {
    expect(at(staged.slice(0, index)).state).toBe(`staging.${state}`);
  });

  test.each([...staged.keys()])('drains without an id or a door when step %i refuses', (index) => {
    const id = String(staged[index]!.actorId);
    const { state, context } = at([...staged.slice(0, index), done(id, { ok: false, fault })]);
    expect(state).toBe('draining.refusing');
    expect(context).toMatchObject({ status: 'failed', fault, url: null });
  });

  test('turns a step that breaks into a fault, not into a dead session', () => {
    const { state, context } = at([broke('validate', new Error('bug'))]);
    expect(state).toBe('draining.refusing');
    expect(context.fault).toEqual({ code: 'E-RUN-007', message: 'bug' });
  });

  test('a launch that is stopped before its own task ran is canceled, also when it serves others', () => {
    const stop = { type: 'stop.requested', cause: 'session_stopped' };
    const over = { hasTask: true, acceptance: 'queue', afterTask: 'sleep' };
    expect(at([...staged.slice(0, 3), stop, ...drained], over).output).toMatchObject({ status: 'canceled' });
    expect(at([...staged, stop, ...drained], over).output).toMatchObject({ status: 'canceled' });
    const served = [...opened(launchTask), ended('tsk_launch', 'task_md', 'ok')];
    expect(at([...served, stop, ...drained], over).output).toMatchObject({ status: 'ok' });
  });

  test('a script that is stopped did not do its work', () => {
    const facts = [...staged, { type: 'stop.requested', cause: 'session_stopped' }, ...drained];
    expect(at(facts, { kind: 'script' })).toMatchObject({ state: 'ended', output: { status: 'canceled' } });
  });

  test('stops on request and still releases everything', () => {
    const facts = [...staged.slice(0, 3), { type: 'stop.requested', cause: 'session_stopped' }, ...drained];
    expect(at(facts)).toMatchObject({ state: 'ended', output: { status: 'ok' } });
  });
});

describe('task acceptance (spec/session.md 5.2)', () => {
  test('none runs the launch task and ends', () => {
    const none = { acceptance: 'none' };
    expect(at(opened(launchTask), none).state).toBe('running.serving.working');
    expect(at([...opened(launchTask), ended('tsk_launch', 'task_md', 'ok')], none).state).toBe('draining.refusing');
  });

  test('none without a task ends at once, ok', () => {
    expect(at([...opened(null), ...drained], { acceptance: 'none' })).toMatchObject({
      state: 'ended',
      output: { status: 'ok' },
    });
  });

  test('single with a launch task runs it and ends', () => {
    expect(at([...opened(launchTask), ended('tsk_launch', 'task_md', 'ok')]).state).toBe('draining.refusing');
  });

  test('single without one waits for one message, runs it and ends', () => {
    expect(at(opened(null)).state).toBe('running.serving.waiting');
    expect(at([...opened(null), sent('tsk_1')]).state).toBe('running.serving.working');
    expect(at([...opened(null), sent('tsk_1'), ended('tsk_1', 'a2a', 'ok')]).state).toBe('draining.refusing');
  });

  test('queue with exit goes on after its launch task and ends after one queued task', () => {
    const queue = { acceptance: 'queue' };
    const first = [...opened(launchTask), ended('tsk_launch', 'task_md', 'ok')];
    expect(at(first, queue).state).toBe('running.serving.waiting');
    expect(at([...first, sent('tsk_1'), ended('tsk_1', 'a2a', 'ok')], queue).state).toBe('draining.refusing');
  });

  test('queue ends the launch when its launch task fails', () => {
    const { state, context } = at([...opened(launchTask), ended('tsk_launch', 'task_md', 'failed')], {
      acceptance: 'queue',
      afterTask: 'sleep',
    });
    expect(state).toBe('draining.refusing');
    expect(context).toMatchObject({ status: 'failed', fault });
  });

  test('queue with sleep runs one task after another and never expires', () => {
    const sleep = { acceptance: 'queue', afterTask: 'sleep' };
    const facts = [...opened(null), sent('tsk_1'), sent('tsk_2'), ended('tsk_1', 'a2a', 'failed')];
    expect(at(facts, sleep)).toMatchObject({
      state: 'running.serving.working',
      context: { status: null, fault: null },
    });
    const idle = [
      ...facts,
      ended('tsk_2', 'a2a', 'ok'),
      { type: 'xstate.after.idleTimeout.session.running.serving.waiting' },
    ];
    expect(at(idle, sleep).state).toBe('running.serving.waiting');
  });

  test('an idle session that may end, ends', () => {
    const facts = [...opened(null), { type: 'xstate.after.idleTimeout.session.running.serving.waiting' }, ...drained];
    expect(at(facts)).toMatchObject({ state: 'ended', output: { status: 'ok' } });
  });

  test('a task that arrives while the door opens is run afterwards', () => {
    const facts = [...staged, sent('tsk_1'), done('open', { ok: true, url: 'localhost:1', launchTask: null })];
    expect(at(facts)).toMatchObject({ state: 'running.serving.working', context: { active: { taskId: 'tsk_1' } } });
  });
});

describe('ending', () => {
  test('the first ending that was not ok decides, and stays', () => {
    const facts = [
      ...opened(null),
      sent('tsk_1'),
      { type: 'stop.requested', cause: 'session_stopped' },
      ended('tsk_1', 'a2a', 'canceled'),
      ...drained,
    ];
    expect(at(facts, { acceptance: 'queue', afterTask: 'sleep' }).output).toMatchObject({ status: 'canceled' });
  });

  test('a deadline while a task runs ends deadline_reached, without an error', () => {
    const facts = [
      ...opened(launchTask),
      { type: 'stop.requested', cause: 'deadline_reached' },
      ended('tsk_launch', 'task_md', 'canceled'),
      ...drained,
    ];
    expect(at(facts).output.status).toBe('deadline_reached');
  });

  test('a deadline before any task ends the session without running one', () => {
    const facts = [...staged, { type: 'stop.requested', cause: 'deadline_reached' }, ...drained];
    expect(at(facts).output.status).toBe('deadline_reached');
  });

  test.each(['E-RUN-013', 'E-RUN-014'])('%s of any task ends a session that serves', (code) => {
    const serves = { acceptance: 'queue' as const, afterTask: 'sleep' as const };
    const broken = (code: string) =>
      done('task', { taskId: 'tsk_1', source: 'a2a', status: 'failed', turns: 1, fault: { ...fault, code } });
    const facts = [...opened(null), sent('tsk_1')];
    expect(at([...facts, broken('E-RUN-040')], serves).state).toBe('running.serving.waiting');
    const { state, context } = at([...facts, broken(code)], serves);
    expect(state).toBe('draining.refusing');
    expect(context).toMatchObject({ status: 'failed', fault: { code } });
  });

  test('no_answer decides nothing', () => {
    const facts = [...opened(launchTask), ended('tsk_launch', 'task_md', 'no_answer'), ...drained];
    expect(at(facts).output.status).toBe('ok');
  });

  test('a task canceled by name does not decide a serving session that is stopped meanwhile', () => {
    const facts = [
      ...opened(null),
      sent('tsk_1'),
      { type: 'task.cancel.requested', taskId: 'tsk_1' },
      { type: 'stop.requested', cause: 'session_stopped' },
      ended('tsk_1', 'a2a', 'canceled'),
      ...drained,
    ];
    expect(at(facts, { acceptance: 'queue', afterTask: 'sleep' }).output).toMatchObject({ status: 'ok', fault: null });
  });

  test('a pending task that is canceled is never started', () => {
    const facts = [
      ...opened(launchTask),
      sent('tsk_1'),
      { type: 'task.cancel.requested', taskId: 'tsk_1' },
      ended('tsk_launch', 'task_md', 'ok'),
    ];
    expect(at(facts, { acceptance: 'queue' })).toMatchObject({
      state: 'running.serving.waiting',
      context: { pending: [] },
    });
  });

  test('a drain that takes too long ends anyway', () => {
    const facts = [...opened(null), { type: 'stop.requested', cause: 'session_stopped' }];
    expect(at([...facts, { type: 'xstate.after.drainLimit.session.draining' }]).state).toBe('ended');
  });

  test('faults while draining do not keep the session from ending', () => {
    const facts = [
      ...opened(null),
      { type: 'stop.requested', cause: 'session_stopped' },
      broke('refuse', new Error('a')),
      broke('close', new Error('b')),
      broke('retire', new Error('c')),
    ];
    expect(at(facts).state).toBe('ended');
  });
});

describe('commands', () => {
  const command = { commandId: 'cmd_1', binary: '/bin/make', taskId: 'tsk_1', graceMs: 0 };
  const asked = { type: 'command.requested', command };
  const children = (facts: Fact[], over: object = {}) =>
    Object.keys(fold(sessionMachine, { ...input, ...over }, facts).children).filter((id) => id.startsWith('cmd_'));

  test.each([
    ['an agent', opened(null), {}],
    ['an agent that works on a task', [...opened(null), sent('tsk_1')], {}],
    ['an agent that still opens', staged, {}],
    ['a script', staged, { kind: 'script' }],
  ] as const)('%s starts them below itself, each with an actor of its own', (_, facts, over) => {
    const second = { ...asked, command: { ...command, commandId: 'cmd_2' } };
    expect(children([...facts, asked, second], over)).toEqual(['cmd_1', 'cmd_2']);
  });

  test('are not started before the session runs, and not once it drains', () => {
    expect(children([asked])).toEqual([]);
    const stop = { type: 'stop.requested', cause: 'session_stopped' };
    expect(children([...opened(null), stop, asked])).toEqual([]);
  });

  test('outlive the task that asked for them, and the draining of the session until they are ended', () => {
    const facts = [...opened(null), sent('tsk_1'), asked, ended('tsk_1', 'a2a', 'ok')];
    const over = { acceptance: 'queue', afterTask: 'sleep' };
    expect(at(facts, over).state).toBe('running.serving.waiting');
    expect(children(facts, over)).toEqual(['cmd_1']);
    expect(children([...facts, { type: 'stop.requested', cause: 'session_stopped' }], over)).toEqual(['cmd_1']);
  });

  test.each([
    ['are forgotten when they end', done('cmd_1', { ending: 'finished' })],
    ['that break are a bug of the runtime, and no reason to end the session', broke('cmd_1', new Error('bug'))],
  ])('%s', (_, fact) => {
    const facts = [...opened(null), asked, fact];
    expect(children(facts)).toEqual([]);
    expect(at(facts)).toMatchObject({ state: 'running.serving.waiting', context: { fault: null } });
  });
});

test('spec/door.md 8.4: tasks wait lane by lane, and in order of arrival within one', () => {
  const arrival = ['bg1', 'user1', 'bg2', 'peer1', 'user2', 'bg3', 'peer2'];
  const accepted = arrival.map((taskId) => ({
    type: 'task.accepted',
    task: { taskId, contextId: 'ctx_a', source: 'a2a', lane: taskId.slice(0, -1) },
  }));
  const facts = [...opened(null), sent('first'), ...accepted];
  const { context } = at(facts, { acceptance: 'queue', afterTask: 'sleep' });
  expect(context.active?.taskId).toBe('first');
  const waiting = context.pending.map(({ taskId }: { taskId: string }) => taskId);
  expect(waiting).toEqual(['user1', 'user2', 'peer1', 'peer2', 'bg1', 'bg2', 'bg3']);
});

describe('script capsules', () => {
  const script = { kind: 'script' };

  test('run once, without a door', () => {
    expect(at(staged, script).state).toBe('running.scripting');
    expect(at([...staged, ok('script'), ...drained], script).output).toMatchObject({ status: 'ok' });
  });

  test.each([
    ['E-RUN-001', 'trapped'],
    ['E-RUN-012', 'failed'],
    ['E-RUN-014', 'failed'],
  ])('%s, which is or is not the doing of the component, ends one %s', (code, status) => {
    const trap = { ...fault, code };
    const facts = [...staged, done('script', { ok: false, fault: trap }), ...drained];
    expect(at(facts, script).output).toEqual({ sessionId: 'ses_a', status, fault: trap });
  });
});

import { describe, expect, test } from 'vitest';
import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import {
  type CommandEnd,
  type CommandInput,
  type CommandName,
  commandMachine,
  type Detached,
  type Started,
} from '../../machines/index.js';
import { broke, done, type Fact, fold, valueText } from './table.js';

const input: CommandInput = { commandId: 'cmd_1', binary: '/bin/make', taskId: 'tsk_a', graceMs: 10_000 };
const end = { exitCode: 3, durationMs: 7, resourceLimit: null, waitError: null };
const fault = { code: 'E-RUN-007', message: 'no' };
const started = done('start', { ok: true, pid: 42 });
const graceOver: Fact = { type: 'xstate.after.grace.command.running' };
const cancel: Fact = { type: 'cancel.requested' };
const over: Fact = { type: 'session.ended' };
const detached = done('detach', { workId: 'wrk_a' });
const toDemoted = [started, graceOver, detached];

const fed = (facts: readonly Fact[], change: Partial<CommandInput> = {}) => {
  const snapshot = fold(commandMachine, { ...input, ...change }, facts);
  return { state: valueText(snapshot.value), output: snapshot.output, context: snapshot.context };
};

describe('a command in the foreground (spec/shell.md 5)', () => {
  test.each([
    ['starts', [], 'starting'],
    ['runs', [started], 'running'],
    ['is refused when it cannot start', [done('start', { ok: false, fault })], 'refused'],
    ['has its log written once it ended', [started, done('wait', end)], 'recording'],
    ['is finished', [started, done('wait', end), done('record', { ok: true })], 'finished'],
    ['is terminated when its task is canceled', [started, cancel], 'terminating'],
    ['is terminated when its session ends', [started, over], 'terminating'],
    ['is canceled when nothing of it is left', [started, cancel, done('terminate', null)], 'canceled'],
    ['that was canceled while it started is terminated once it runs', [cancel, started], 'terminating'],
    ['whose session ended while it started, too', [over, started], 'terminating'],
    ['that was canceled and never started is refused', [cancel, done('start', { ok: false, fault })], 'refused'],
    ['that ended is not canceled any more', [started, done('wait', end), cancel], 'recording'],
  ])('%s', (_, facts, state) => expect(fed(facts).state).toBe(state));

  test('says how it ended, also with an exit code that is not 0', () => {
    expect(fed([started, done('wait', end), done('record', { ok: true })]).output).toEqual({
      ending: 'finished',
      workId: null,
      end,
      fault: null,
    });
  });

  test('carries the fault of a log that could not be written', () => {
    const { output } = fed([started, done('wait', end), done('record', { ok: false, fault })]);
    expect(output).toMatchObject({ ending: 'finished', end, fault });
  });

  test('carries why it was refused', () => {
    expect(fed([done('start', { ok: false, fault })]).output).toMatchObject({ ending: 'refused', end: null, fault });
  });

  test('that may not be moved to the background stays in the foreground', () => {
    expect(fed([started, graceOver], { graceMs: null }).state).toBe('running');
  });
});

describe('a command in the background (spec/shell.md 8)', () => {
  test.each([
    ['8.2: is registered before its caller is told', [started, graceOver], 'detaching'],
    ['8.2: runs on', toDemoted, 'demoted'],
    ['8.3: has its output written', [...toDemoted, done('await', end)], 'saving'],
    ['8.3: is reported', [...toDemoted, done('await', end), done('save', null)], 'reporting'],
    ['8.3: is completed', [...toDemoted, done('await', end), done('save', null), done('report', null)], 'completed'],
    ['12: does not mind a cancel of its task', [...toDemoted, cancel], 'demoted'],
    ['12: nor one while it is being moved', [started, graceOver, cancel, detached], 'demoted'],
    ['8.4: is killed when its session ends', [...toDemoted, over], 'killing'],
    ['8.4: also when it is just being moved', [started, graceOver, over, detached], 'killing'],
    ['8.4: has its output written then', [...toDemoted, over, done('kill', null)], 'saving'],
    ['8.4: is traced', [...toDemoted, over, done('kill', null), done('save', null)], 'abandoning'],
    [
      '8.4: is abandoned',
      [...toDemoted, over, done('kill', null), done('save', null), done('abandon', null)],
      'abandoned',
    ],
    [
      '8.4: is abandoned also when it ends by itself during the teardown',
      [...toDemoted, done('await', end), over, done('save', null)],
      'abandoning',
    ],
  ])('%s', (_, facts, state) => expect(fed(facts).state).toBe(state));

  test('tells its id and how it ended', () => {
    const ended = [...toDemoted, done('await', end), done('save', null), done('report', null)];
    expect(fed(ended).output).toEqual({ ending: 'completed', workId: 'wrk_a', end, fault: null });
  });

  test('8.4: has no exit code when it was killed, and has one when it ended by itself meanwhile', () => {
    const last = [done('save', null), done('abandon', null)];
    expect(fed([...toDemoted, over, done('kill', null), ...last]).output).toMatchObject({ end: null });
    expect(fed([...toDemoted, over, done('kill', end), ...last]).output).toMatchObject({ end });
    expect(fed([...toDemoted, done('await', end), over, ...last]).output).toMatchObject({ ending: 'abandoned', end });
  });
});

describe('a bug', () => {
  test.each([
    ['start', []],
    ['wait', [started]],
    ['record', [started, done('wait', end)]],
    ['terminate', [started, cancel]],
    ['detach', [started, graceOver]],
    ['await', toDemoted],
    ['kill', [...toDemoted, over]],
    ['save', [...toDemoted, done('await', end)]],
    ['report', [...toDemoted, done('await', end), done('save', null)]],
    ['abandon', [...toDemoted, over, done('kill', null), done('save', null)]],
  ])('of %s leaves no process', (id, facts) => {
    const broken = [...facts, broke(id, new Error('bug'))];
    expect(fed(broken).state).toBe('clearing');
    for (const cleared of [done('clear', null), broke('clear', new Error('another'))]) {
      expect(fed([...broken, cleared]).output).toMatchObject({ ending: 'failed', fault: { message: 'bug' } });
    }
  });
});

describe('the grace period (spec/shell.md 8.1)', () => {
  const run = (graceMs: number | null) => {
    const clock = new SimulatedClock();
    const actor = createActor(
      commandMachine.provide({
        actors: {
          start: fromPromise<Started, CommandInput>(async () => ({ ok: true, pid: 1 })),
          wait: fromPromise<CommandEnd, CommandName>(() => new Promise(() => undefined)),
          detach: fromPromise<Detached, CommandName>(async () => ({ workId: 'wrk_a' })),
        },
      }),
      { clock, input: { ...input, graceMs } },
    );
    actor.start();
    return { clock, actor };
  };

  test('moves the command at its end, not before', async () => {
    const { clock, actor } = run(10_000);
    await waitFor(actor, ({ value }) => value === 'running');
    clock.increment(9_999);
    expect(actor.getSnapshot().value).toBe('running');
    clock.increment(1);
    await waitFor(actor, ({ value }) => value === 'demoted');
    actor.stop();
  });

  test('of 0 moves it at the first look after the start', async () => {
    const { clock, actor } = run(0);
    await waitFor(actor, ({ value }) => value === 'running');
    clock.increment(0);
    await waitFor(actor, ({ value }) => value === 'demoted');
    actor.stop();
  });

  test('that is none never ends', async () => {
    const { clock, actor } = run(null);
    await waitFor(actor, ({ value }) => value === 'running');
    clock.increment(10 * 365 * 86_400_000);
    expect(actor.getSnapshot().value).toBe('running');
    actor.stop();
  });
});

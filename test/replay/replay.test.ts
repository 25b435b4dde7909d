import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnyStateMachine, assign } from 'xstate';
import { charts, sessionMachine, taskMachine, turnMachine } from '../../machines/index.js';
import { chartOf } from '../../src/diagram/index.js';
import { Secret } from '../../src/errors/index.js';
import { eventLogItems, openReplay, type Replay, replayOf } from '../../src/replay/index.js';
import { readJsonLines } from '../../src/text/index.js';
import { codeOf, heldFolder, temporaryFolder } from '../home/temporary.js';
import { type RehearsalOptions, rehearseFaithfully } from './rehearsal.js';

interface Recorded {
  readonly folder: string;
  readonly log: string;
  readonly replay: Replay;
}

async function recorded(options: RehearsalOptions = {}): Promise<Recorded> {
  const { path: folder } = await recordInto(options);
  return { folder, log: join(folder, 'events.jsonl'), replay: openReplay(folder) };
}

async function recordInto(options: RehearsalOptions) {
  const records = heldFolder();
  await rehearseFaithfully(records, options);
  return records;
}

/** The same log without keyframes. */
function folded(log: string): Replay {
  return replayOf([...eventLogItems(readJsonLines(log))].filter(({ kind }) => kind !== 'keyframe'));
}

/** The log with one line changed. */
function edited(log: string, edit: (line: Record<string, unknown>) => unknown): string {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  const copy = join(temporaryFolder(), 'events.jsonl');
  writeFileSync(
    copy,
    `${lines.map((line) => JSON.stringify(edit(JSON.parse(line)) ?? JSON.parse(line))).join('\n')}\n`,
  );
  return copy;
}

describe('a recorded session', () => {
  test('whatever happened to it, replays to the same states, hashes and requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(255), { minLength: 1, maxLength: 60 }), fc.nat(4), async (numbers, tasks) => {
        const records = heldFolder();
        const { root } = await rehearseFaithfully(records, { numbers, tasks, turns: 2, interfere: true });
        const log = join(records.path, 'events.jsonl');
        // Refused before it had a folder.
        if (!existsSync(log)) return;
        const replay = openReplay(records.path);
        expect(replay.warnings).toEqual([]);
        expect(replay.verify()).toMatchObject({ divergence: undefined, unchecked: 0, checked: replay.length });
        const { status, value, context } = root.getSnapshot();
        const [end] = replay.stateAt(replay.length - 1).machines;
        expect(end).toMatchObject(JSON.parse(JSON.stringify({ status, value, context })));
        const plain = folded(log);
        for (const q of [-1, 63, 65, replay.length - 1]) expect(replay.stateAt(q)).toEqual(plain.stateAt(q));
      }),
      { numRuns: 80 },
    );
  }, 60_000);

  test('ends with its last event, in its last state', async () => {
    const { replay } = await recorded();
    expect(replay.events(replay.length - 1)).toMatchObject([{ ev: { type: 'xstate.done.actor.retire' }, s: 'ended' }]);
    expect(replay.stateAt(replay.length - 1).machines).toMatchObject([
      { path: 'session', status: 'done', value: 'ended' },
    ]);
  });

  test('has every machine under its path, the runs of one path numbered', async () => {
    const { replay } = await recorded({ tasks: 2, turns: 1 });
    expect(replay.machines().map(({ path, run }) => `${path} ${run}`)).toEqual([
      'session 1',
      'session/task 1',
      'session/task/turn 1',
      'session/task/turn/tool-call 1',
      'session/task/turn 2',
      'session/task 2',
      'session/task/turn 3',
      'session/task/turn/tool-call 2',
      'session/task/turn 4',
    ]);
    for (const { startedBy, endedBy, path, run } of replay.machines()) {
      expect(replay.events(startedBy, startedBy)[0]?.ev.type).toBe('xstate.init');
      const [last] = replay.steps(endedBy, endedBy);
      expect(last?.machine).toMatchObject({ path, run, status: 'done' });
    }
  });

  test('tells of each step what was asked for, and which transitions were taken', async () => {
    const { replay } = await recorded();
    for (const { event, taken, requests, before, machine } of replay.steps()) {
      const edges = new Set(chartOf(charts[machine.chart as 'task'].machine).edges.map(({ id }) => id));
      for (const edge of taken) expect(edges).toContain(edge);
      if (event.ev.type === 'xstate.init') expect(before).toBeUndefined();
      else expect(taken.length).toBeGreaterThan(0);
      expect(event.r?.split(' #')[0] ?? '').toBe(requests.map(({ text }) => text).join(', '));
    }
  });

  test('shows the tree as it was at any moment, parents first', async () => {
    const { replay } = await recorded();
    const during = [...replay.steps()].find(({ machine }) => machine.chart === 'tool-call')!.event.q;
    expect(replay.stateAt(during).machines.map(({ path, value }) => [path, value])).toEqual([
      ['session', { running: { serving: 'working' } }],
      ['session/task', { active: { loop: 'turning', attention: 'working' } }],
      ['session/task/turn', 'dispatching'],
      ['session/task/turn/tool-call', 'admitting'],
    ]);
    expect(replay.stateAt(-5)).toMatchObject({ q: -1, machines: [] });
    expect(replay.stateAt(1e9).q).toBe(replay.length - 1);
  });

  test('keeps what was sent to it before it started', async () => {
    const records = heldFolder();
    await rehearseFaithfully(records, {
      beforeStart: (root) => root.send({ type: 'stop.requested', cause: 'session_stopped' }),
    });
    // Staging was stopped before it had a folder to record into.
    expect(existsSync(join(records.path, 'events.jsonl'))).toBe(false);
    const early = heldFolder();
    await rehearseFaithfully(early, { beforeStart: (root) => root.send({ type: 'input.received', taskId: 'tsk_0' }) });
    const replay = openReplay(early.path);
    expect(replay.events(0, 1).map(({ ev }) => ev.type)).toEqual(['xstate.init', 'input.received']);
    expect(replay.verify().divergence).toBeUndefined();
  });

  test('that was stopped from above says so in every machine that was stopped', async () => {
    const { replay } = await recorded({ onEffect: (name, root) => name === 'run' && root.stop() });
    const stopped = replay.events().filter(({ ev }) => ev.type === 'xstate.stop');
    expect(stopped.map(({ path = 'session' }) => path).sort()).toEqual([
      'session',
      'session/task',
      'session/task/turn',
      'session/task/turn/tool-call',
    ]);
    expect(replay.verify().divergence).toBeUndefined();
  });

  test('goes on after an event that JSON cannot hold, and says where', async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const { replay } = await recorded({
      onEffect: (name, root) => name === 'infer' && root.send({ type: 'input.received', taskId: 'tsk_x', circle }),
    });
    const odd = replay.events().find(({ ev }) => ev.type === 'input.received');
    expect(odd?.ev).toMatchObject({ $unwritable: expect.stringContaining('circular') });
    expect(replay.stateAt(replay.length - 1).machines).toMatchObject([{ value: 'ended' }]);
  });

  test('whose machine breaks on an event is replayed into the same break', async () => {
    const machine = sessionMachine.provide({
      actions: {
        takeTask: assign(() => {
          throw new TypeError('broken');
        }) as never,
      },
    });
    const records = heldFolder();
    await rehearseFaithfully(records, { machine });
    const replay = openReplay(records.path, { machine });
    const report = replay.verify();
    expect(report).toMatchObject({ divergence: undefined, unchecked: 1 });
    expect(replay.stateAt(replay.length - 1).machines).toMatchObject([{ status: 'error' }]);
  });
});

describe('a machine that was changed', () => {
  const changedTask = (change: Parameters<typeof taskMachine.provide>[0]): AnyStateMachine =>
    sessionMachine.provide({ actors: { task: taskMachine.provide(change) as never } });

  test('in an action, is caught at the event that runs it, with what it should have been', async () => {
    const { folder, replay } = await recorded({ turns: 2 });
    const first = replay.events().find(({ path, c }) => path === 'session/task' && c?.turn === 1)!;
    const machine = changedTask({ actions: { nextTurn: assign({ turn: ({ context }) => context.turn + 2 }) } });
    expect(openReplay(folder, { machine }).verify().divergence).toEqual({
      ...{ q: first.q, path: 'session/task', run: 1, chart: 'task', event: 'xstate.done.actor.turn' },
      ...{ kind: 'state', what: 'context.turn', expected: '1', actual: '2' },
    });
  });

  test('in a guard, is caught where it decides otherwise', async () => {
    const { folder, replay } = await recorded({ turns: 2 });
    const machine = changedTask({ guards: { hasTurnsLeft: () => false } });
    const { divergence } = openReplay(folder, { machine }).verify();
    expect(divergence).toMatchObject({ kind: 'state', what: 'state', actual: 'ending' });
    expect(replay.events(divergence!.q, divergence!.q)).toMatchObject([{ ev: { type: 'xstate.done.actor.turn' } }]);
  });

  test('in what it asks of an effect, is caught although its states are the same', async () => {
    const { config } = turnMachine as unknown as { config: { states: Record<string, { invoke: { input: unknown } }> } };
    const { infer } = { infer: config.states.inferring! };
    const other = {
      ...config,
      states: { ...config.states, inferring: { ...infer, invoke: { ...infer.invoke, input: () => ({ turn: 99 }) } } },
    };
    const changed = new (turnMachine.constructor as new (config: unknown, implementations: unknown) => AnyStateMachine)(
      other,
      turnMachine.implementations,
    );
    const task = taskMachine.provide({ actors: { turn: changed as never } });
    const { folder } = await recorded();
    const machine = sessionMachine.provide({ actors: { task: task as never } });
    expect(openReplay(folder, { machine, force: true }).verify().divergence).toMatchObject({
      ...{ kind: 'requests', path: 'session/task/turn', event: 'xstate.done.actor.prepare' },
      expected: expect.stringMatching(/^stop prepare, start infer #/),
      actual: expect.stringMatching(/^stop prepare, start infer #/),
    });
  });

  test('in its chart, is refused by name unless forced, and then shows the first difference', async () => {
    const { config } = taskMachine as unknown as { config: { states: object } };
    const task = new (taskMachine.constructor as new (config: unknown, implementations: unknown) => AnyStateMachine)(
      { ...config, states: { ...config.states, ending: { type: 'final' } } },
      taskMachine.implementations,
    );
    const machine = sessionMachine.provide({ actors: { task: task as never } });
    const { folder } = await recorded();
    expect(() => openReplay(folder, { machine })).toThrow(
      expect.objectContaining({ code: 'E-TRC-902', message: expect.stringContaining("another chart 'task'") }),
    );
    const forced = openReplay(folder, { machine, force: true });
    expect(forced.changedCharts).toEqual(['task']);
    expect(forced.verify().divergence).toMatchObject({ path: 'session/task', event: 'xstate.done.actor.turn' });
  });

  test('in a chart that did not run, does not matter', async () => {
    const { config } = taskMachine as unknown as { config: { states: object } };
    const task = new (taskMachine.constructor as new (config: unknown, implementations: unknown) => AnyStateMachine)(
      { ...config, states: { ...config.states, more: {} } },
      taskMachine.implementations,
    );
    const { folder } = await recorded({ tasks: 0 });
    const machine = sessionMachine.provide({ actors: { task: task as never } });
    expect(openReplay(folder, { machine }).verify().divergence).toBeUndefined();
  });
});

describe('a damaged log', () => {
  test('cut at any byte of its last two lines still replays', async () => {
    const { log, replay } = await recorded({ tasks: 0 });
    const whole = readFileSync(log);
    const cutFrom = whole.lastIndexOf(0x0a, whole.lastIndexOf(0x0a, -2) - 1) + 1;
    const copy = join(temporaryFolder(), 'events.jsonl');
    for (let end = cutFrom; end <= whole.length; end += 1) {
      writeFileSync(copy, whole.subarray(0, end));
      const torn = openReplay(copy);
      expect(torn.length).toBeGreaterThanOrEqual(replay.length - 2);
      expect(torn.verify().divergence).toBeUndefined();
      expect(torn.stateAt(torn.length - 1)).toEqual(replay.stateAt(torn.length - 1));
    }
  });

  test('with a hole in it replays up to the hole and says so', async () => {
    const { log } = await recorded();
    const lines = readFileSync(log, 'utf8').split('\n');
    const copy = join(temporaryFolder(), 'events.jsonl');
    writeFileSync(copy, lines.filter((line) => !line.startsWith('{"q":9,')).join('\n'));
    expect(openReplay(copy)).toMatchObject({ length: 9, warnings: [expect.stringContaining('event 9 is missing')] });
  });

  test('with a keyframe that is not what happened is caught at the keyframe', async () => {
    const { log, replay } = await recorded({ tasks: 3 });
    const copy = edited(log, (line) => {
      const [root] = (line.machines ?? []) as { context: object }[];
      if (root !== undefined) root.context = { ...root.context, kind: 'script' };
      return line;
    });
    expect(replay.verify().keyframes).toBeGreaterThan(0);
    expect(openReplay(copy).verify().divergence).toMatchObject({ kind: 'keyframe', path: 'session' });
  });

  test('with an event that was changed by hand is caught there', async () => {
    const { log, replay } = await recorded();
    const admitted = replay.events().find(({ ev }) => ev.type === 'xstate.done.actor.admit')!;
    const copy = edited(log, (line) =>
      line.q === admitted.q ? { ...line, ev: { ...admitted.ev, output: { route: 'shell' } } } : line,
    );
    expect(openReplay(copy).verify().divergence).toMatchObject({
      ...{ q: admitted.q, path: 'session/task/turn/tool-call', what: 'state' },
      ...{ expected: 'running.wasm', actual: 'running.shell' },
    });
  });

  test.each([
    ['nothing', undefined, 'E-IO-001'],
    ['an empty file', '', 'E-TRC-001'],
    ['a file of something else', '{"event_type":"session_start"}\n', 'E-TRC-001'],
  ])('%s is an error that says what it is', (_, text, code) => {
    const path = join(temporaryFolder(), 'events.jsonl');
    if (text !== undefined) writeFileSync(path, text);
    expect(codeOf(() => openReplay(path))).toBe(code);
  });

  test('of a session that still runs is replayed as far as it is', async () => {
    const { log, replay } = await recorded();
    const copy = join(temporaryFolder(), 'events.jsonl');
    copyFileSync(log, copy);
    const lines = readFileSync(log, 'utf8').split('\n');
    writeFileSync(copy, `${lines.slice(0, 20).join('\n')}\n`);
    const half = openReplay(copy);
    appendFileSync(copy, lines.slice(20).join('\n'));
    expect(half.length).toBe(19);
    expect(half.stateAt(18)).toEqual(replay.stateAt(18));
    expect(openReplay(copy).length).toBe(replay.length);
  });
});

describe('secrets', () => {
  const secrets = ['sk-ant-planted-0001', 'päss "quoted"\nwörd', 'tok_9f8e7d6c'];

  test('that events and states hold are in no byte of the log, and it still verifies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(255), { minLength: 1, maxLength: 30 }), async (numbers) => {
        const records = heldFolder();
        const said = `the key is ${secrets.join(' or ')}.`;
        const held = secrets.map((secret) => new Secret(secret));
        await rehearseFaithfully(records, { numbers, said, tasks: 3, turns: 2, interfere: true, secrets: held });
        const log = join(records.path, 'events.jsonl');
        if (!existsSync(log)) return;
        const text = readFileSync(log, 'utf8');
        for (const secret of secrets) {
          expect(text).not.toContain(secret);
          expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
        }
        expect(openReplay(log).verify().divergence).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});

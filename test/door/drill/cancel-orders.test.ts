/**
 * A cancel in every place among the steps of a task, without a clock: the registry, the feed and the renderers of all dialects, and
 * the charts of a session. Beside the same with real timing: cancel-live.test.ts.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionMachine, taskMachine } from '../../../machines/index.js';
import { StandardRenderer } from '../../../src/door/stream/render-standard.js';
import { v1Shape } from '../../../src/door/stream/render-v1.js';
import { v03Shape } from '../../../src/door/stream/render-v03.js';
import { StreamFeed } from '../../../src/effects/stream-feed.js';
import { systemClock } from '../../../src/supervise/clock.js';
import { isFinal, TaskRegistry } from '../../../src/task/index.js';
import { done, type Fact, fold } from '../../machines/table.js';
import { parseFrame, taskRequest } from '../stream/client.js';
import { stateIn } from './follow.js';

/** A session's registry and feed, and what a client in each dialect reads of task `a`. */
class Table {
  readonly tasks = new TaskRegistry({ acceptance: 'queue', queueDepth: 4, now: () => 1_000 });
  readonly feed = new StreamFeed(this.tasks, systemClock);
  readonly delivered: string[] = [];
  readonly finals: string[] = [];
  readonly text = { v03: '', v1: '' };

  constructor() {
    this.tasks.watch((task, change) => change === 'ended' && this.finals.push(`${task.taskId} ${task.state}`));
    for (const id of ['a', 'b']) this.tasks.enqueue(taskRequest(id));
    for (const [name, shape] of [['v03', v03Shape] as const, ['v1', v1Shape] as const]) {
      const renderer = new StandardRenderer((result) => ({ result }), shape);
      renderer.begin(this.tasks.get('a')!, 0, undefined);
      this.feed.bus.listen({
        event: (logged) => {
          if (renderer.wants(logged)) this.text[name] += renderer.event(logged);
        },
        ended: () => undefined,
      });
    }
  }

  /** States a client of that dialect was told of, in order. */
  states(name: 'v03' | 'v1'): string[] {
    const blocks = this.text[name].split('\n\n').filter((block) => block !== '');
    return blocks.flatMap((block) => stateIn(parseFrame(block))?.state ?? []);
  }
}

type Step = (table: Table) => void;

/** One task from its start to its end, with everything that is told of it on the way. */
const life: readonly Step[] = [
  ({ tasks }) => tasks.start('a'),
  ({ feed }) => feed.turnBegan('a', 0),
  ({ feed }) => feed.thinking('a', 'hm'),
  ({ feed }) => feed.text('a', 'I look'),
  ({ feed }) => feed.callBegan('a', 'c1', 'files'),
  ({ feed }) => feed.turnEnded('a'),
  ({ tasks, delivered }) => tasks.setInputRequired('a', 'which?', (text) => delivered.push(text)),
  ({ tasks }) => tasks.deliverInput('a', 'this'),
  ({ feed }) => feed.turnBegan('a', 1),
  ({ feed }) => feed.text('a', 'done'),
  ({ feed }) => feed.turnEnded('a', 'done'),
  ({ tasks }) => tasks.finish('a', 'completed', { response: 'done' }),
];
const cancel: Step = ({ tasks }) => tasks.cancel('a');
const reply: Step = ({ tasks }) => tasks.deliverInput('a', 'that');
/** What more is said to the task, and the moment in which nothing more reaches it. */
const more: readonly Step[] = [
  ({ tasks }) => tasks.followUp('a', { text: 'and this', origin: 'event', trust: 'untrusted' }),
  ({ tasks }) => tasks.answer('a', true),
  ({ tasks }) => tasks.takeFollowUps('a'),
];
const next: readonly Step[] = [
  ({ tasks }) => tasks.start('b'),
  ({ feed }) => feed.turnBegan('b', 0),
  ({ tasks }) => tasks.finish('b', 'completed', { response: 'b is done' }),
];

/** All lists with `step` put into one place of `steps`. */
function inserted(steps: readonly Step[], step: Step): Step[][] {
  return Array.from({ length: steps.length + 1 }, (_, at) => [...steps.slice(0, at), step, ...steps.slice(at)]);
}

function expectOneEnd(table: Table): void {
  const ofA = table.finals.filter((end) => end.startsWith('a '));
  expect(ofA).toHaveLength(1);
  const state = table.tasks.get('a')!.state;
  expect(ofA[0]).toBe(`a ${state}`);
  const told = table.feed.bus.since(0).events.filter(({ event }) => event.taskId === 'a');
  const finals = told.filter(({ event }) => event.type === 'status' && event.final);
  expect(finals).toEqual([told.at(-1)]);
  for (const name of ['v03', 'v1'] as const) {
    const states = table.states(name);
    expect(states.filter((one) => isFinal(one as typeof state))).toEqual([state]);
    expect(states.at(-1)).toBe(state);
  }
  expect(table.delivered.length).toBeLessThanOrEqual(1);
  expect(table.tasks.get('b')).toMatchObject({ state: 'completed', response: 'b is done' });
}

describe('the registry and what is told of it', () => {
  it('two cancels and a second reply, in every order there is: one end, told once to everybody, and the next task runs', () => {
    const orders = inserted(life, cancel)
      .flatMap((steps) => inserted(steps, cancel))
      .flatMap((steps) => inserted(steps, reply));
    expect(orders).toHaveLength(13 * 14 * 15);
    for (const steps of orders) {
      const table = new Table();
      for (const step of [...steps, ...next]) step(table);
      expectOneEnd(table);
    }
  });

  it('steps lost, doubled and in any order change nothing of that', () => {
    const step = fc.constantFrom(...life, ...more, cancel, reply);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const table = new Table();
        for (const one of [...steps, cancel]) one(table);
        table.tasks.finish('a', 'failed');
        for (const one of next) one(table);
        expectOneEnd(table);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the charts', () => {
  const canceled: Fact = { type: 'task.cancel.requested' };
  const input = { taskId: 'a', contextId: 'c', source: 'a2a' as const, maxTurns: 3 };
  const steps: readonly Fact[] = [
    done('begin', { ok: true }),
    { type: 'input.requested', prompt: '?' },
    { type: 'input.received' },
    done('turn', { status: null, fault: null }),
    done('turn', { status: 'ok', fault: null }),
  ];

  it('a cancel behind any step ends the task canceled; behind its last, not at all', () => {
    for (let at = 0; at <= steps.length; at++) {
      const facts = [...steps.slice(0, at), canceled, canceled, done('end', null), canceled];
      const { status, output } = fold(taskMachine, input, facts);
      expect([status, output.status]).toEqual(['done', at === steps.length ? 'ok' : 'canceled']);
    }
  });

  it('a session takes its next task only when the canceled one is over, and a late cancel does not reach that', () => {
    const sessionInput = {
      capsuleName: 'sample',
      capsuleVersion: '0.1.0',
      kind: 'agent' as const,
      hasTask: false,
      acceptance: 'queue' as const,
      afterTask: 'sleep' as const,
      maxTurns: 3,
      idleTimeoutMs: 30_000,
      drainLimitMs: 15_000,
    };
    const opened: Fact[] = [
      ...['validate', 'probe', 'contain', 'resolve', 'check', 'compile'].map((id) => done(id, { ok: true })),
      done('mint', { ok: true, sessionId: 'ses_a' }),
      done('write', { ok: true }),
      done('open', { ok: true, url: 'localhost:1', launchTask: null }),
    ];
    const ref = (taskId: string) => ({ taskId, contextId: 'c', source: 'a2a' as const, lane: 'bg' as const });
    const cancelOf = (taskId: string): Fact => ({ type: 'task.cancel.requested', taskId });
    const accepted = (taskId: string): Fact => ({ type: 'task.accepted', task: ref(taskId) });
    const over = done('task', { taskId: 'a', source: 'a2a', status: 'canceled', turns: 1, fault: null });
    const facts = [accepted('a'), accepted('b'), cancelOf('a'), cancelOf('a')];
    const held = fold(sessionMachine, sessionInput, [...opened, ...facts]);
    expect([held.context.active?.taskId, held.context.pending.length]).toEqual(['a', 1]);
    const moved = fold(sessionMachine, sessionInput, [...opened, ...facts, over, cancelOf('a')]);
    expect([moved.context.active?.taskId, moved.context.cancelAsked, moved.context.status]).toEqual(['b', false, null]);
  });
});

import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, setup } from 'xstate';
import { createSupervisor } from '../../../src/supervise/index.js';
import { gate, settle, stillborn, supervise, workerSpec } from '../fixtures.js';

describe('draining', () => {
  it('ends the children in reverse start order, each before the next, and then the supervisor', () => {
    const t = supervise();
    t.spawn(workerSpec('a'), workerSpec('b'), workerSpec('c'));
    t.child('b').send({ type: 'stall' });
    t.take();
    t.drain();
    expect(t.take()).toEqual(['exited c', 'disposed c']);
    expect(t.child('a').getSnapshot().value).toBe('working');
    t.clock.increment(1_000);
    expect(t.take()).toEqual(['exited b', 'disposed b', 'exited a', 'disposed a', 'drained']);
    expect(t.status()).toBe('done');
    expect(t.exits()).toEqual([
      { id: 'c', kind: 'shutdown', forced: false, output: 'drained' },
      { id: 'b', kind: 'shutdown', forced: true },
      { id: 'a', kind: 'shutdown', forced: false, output: 'drained' },
    ]);
    expect(t.reports).toMatchObject([
      { context: 'shutdown_error', reason: { code: 'E-SUP-902' }, offender: { id: 'b' } },
    ]);
  });

  it('together asks every child at once', () => {
    const t = supervise({ stopOrder: 'together' });
    t.spawn(workerSpec('a'), workerSpec('b'), workerSpec('c'));
    t.child('c').send({ type: 'stall' });
    t.take();
    t.drain();
    expect(t.take()).toEqual(['exited b', 'disposed b', 'exited a', 'disposed a']);
    t.clock.increment(1_000);
    expect(t.take()).toEqual(['exited c', 'disposed c', 'drained']);
  });

  it('an empty supervisor is drained at once', () => {
    const t = supervise();
    t.drain();
    expect(t.take()).toEqual(['drained']);
    expect(t.status()).toBe('done');
  });

  it('keeps one deadline for all children, so theirs do not add up (reports row 67)', () => {
    const t = supervise();
    const ids = ['a', 'b', 'c', 'd'];
    t.spawn(...ids.map((id) => workerSpec(id, { shutdown: 1_000 })));
    for (const id of ids) t.child(id).send({ type: 'stall' });
    t.drain(1_500);
    t.clock.increment(1_499);
    expect(t.status()).toBe('active');
    t.clock.increment(1);
    expect(t.status()).toBe('done');
    expect(t.exits().map((exit) => exit.id)).toEqual(['d', 'c', 'b', 'a']);
  });

  it('a second drain shortens the deadline, never lengthens it, and skips nobody (reports row 67)', () => {
    const t = supervise();
    t.spawn(
      workerSpec('a', { shutdown: Number.POSITIVE_INFINITY }),
      workerSpec('b', { shutdown: Number.POSITIVE_INFINITY }),
    );
    for (const id of ['a', 'b']) t.child(id).send({ type: 'stall' });
    t.drain(10_000);
    t.drain(60_000);
    t.clock.increment(100);
    t.drain(200);
    t.clock.increment(199);
    expect(t.status()).toBe('active');
    t.clock.increment(1);
    expect(t.status()).toBe('done');
    expect(t.exits().map((exit) => exit.id)).toEqual(['b', 'a']);
  });

  it('refuses children while it drains', () => {
    const t = supervise();
    t.spawn(workerSpec('a'));
    t.child('a').send({ type: 'stall' });
    t.drain();
    t.spawn(workerSpec('b'));
    expect(t.emitted.at(-1)).toEqual({ type: 'child.refused', id: 'b', reason: 'draining' });
  });

  it('a permanent child that ends by itself while draining does not come back', () => {
    const t = supervise();
    t.spawn(workerSpec('a', { restart: 'permanent' }), workerSpec('b'));
    t.child('b').send({ type: 'stall' });
    t.drain();
    t.child('a').send({ type: 'crash' });
    t.clock.increment(1_000);
    expect(t.status()).toBe('done');
    expect(t.reports.map(({ context, offender }) => [offender.id, context])).toEqual([
      ['a', 'shutdown_error'],
      ['b', 'shutdown_error'],
    ]);
  });
});

describe('shutdown kinds', () => {
  it('0 stops the child without asking it', () => {
    const t = supervise();
    t.spawn(workerSpec('a', { shutdown: 0 }));
    t.sup.send({ type: 'sup.terminate', id: 'a' });
    expect(t.exits()).toEqual([{ id: 'a', kind: 'shutdown', forced: true }]);
    expect(t.reports).toEqual([]);
  });

  it('Infinity waits as long as the child takes', () => {
    const t = supervise();
    t.spawn(workerSpec('a', { shutdown: Number.POSITIVE_INFINITY }));
    t.child('a').send({ type: 'stall' });
    t.sup.send({ type: 'sup.terminate', id: 'a' });
    t.clock.increment(1e12);
    expect(t.ids()).toEqual(['a']);
    t.child('a').send({ type: 'finish', output: 'x' });
    expect(t.exits()).toEqual([{ id: 'a', kind: 'shutdown', forced: false, output: 'x' }]);
  });

  it('a child that knows no drain event is stopped at once, which is not forced', () => {
    const t = supervise();
    const forever = fromPromise(() => new Promise<void>(() => undefined));
    t.spawn({ id: 'a', src: forever, restart: 'temporary' });
    t.sup.send({ type: 'sup.terminate', id: 'a' });
    expect(t.exits()).toEqual([{ id: 'a', kind: 'shutdown', forced: false }]);
  });
});

describe('terminate', () => {
  it('ends one child for good, even a permanent one, and frees its id', () => {
    const t = supervise();
    t.spawn(workerSpec('a', { restart: 'permanent' }));
    t.sup.send({ type: 'sup.terminate', id: 'a' });
    expect(t.ids()).toEqual([]);
    t.spawn(workerSpec('a'));
    expect(t.child('a').getSnapshot().status).toBe('active');
  });

  it('of an unknown child does nothing', () => {
    const t = supervise();
    t.sup.send({ type: 'sup.terminate', id: 'nobody' });
    expect(t.events).toEqual([]);
  });
});

it('refuses a second child with an id that is taken', () => {
  const t = supervise();
  t.spawn(workerSpec('a'), workerSpec('a'));
  expect(t.emitted.at(-1)).toEqual({ type: 'child.refused', id: 'a', reason: 'duplicate' });
});

describe('onDispose', () => {
  it('is awaited before a restart', async () => {
    const { opened, open } = gate();
    const t = supervise({ onDispose: () => opened });
    t.spawn(workerSpec('a', { restart: 'permanent' }));
    t.child('a').send({ type: 'crash' });
    await settle();
    expect(t.take()).toEqual(['started a', 'exited a']);
    open();
    await settle();
    expect(t.take()).toEqual(['disposed a', 'restarting a', 'started a']);
  });

  it('runs once on every exit path: output, error, failed start, terminate, deadline, drain', async () => {
    const disposed: string[] = [];
    const t = supervise({ onDispose: async (id, exit) => void disposed.push(`${id} ${exit.kind}`) });
    const ids = ['output', 'error', 'terminate', 'deadline', 'drain'];
    t.spawn(...ids.map((id) => workerSpec(id)), { id: 'start', src: stillborn, restart: 'temporary' });
    t.child('output').send({ type: 'finish', output: 'x' });
    t.child('error').send({ type: 'crash' });
    t.child('deadline').send({ type: 'stall' });
    t.sup.send({ type: 'sup.terminate', id: 'terminate' });
    t.sup.send({ type: 'sup.terminate', id: 'deadline' });
    t.clock.increment(1_000);
    await settle();
    t.drain();
    await settle();
    expect(t.status()).toBe('done');
    expect(disposed.sort()).toEqual([
      'deadline shutdown',
      'drain shutdown',
      'error abnormal',
      'output normal',
      'start abnormal',
      'terminate shutdown',
    ]);
  });

  it('that takes too long is reported and left behind', () => {
    const t = supervise({ onDispose: () => new Promise(() => undefined), disposeMs: 50 });
    t.spawn(workerSpec('a'));
    t.drain();
    t.clock.increment(49);
    expect(t.status()).toBe('active');
    t.clock.increment(1);
    expect(t.status()).toBe('done');
    expect(t.reports).toMatchObject([{ context: 'shutdown_error', reason: { code: 'E-SUP-903' } }]);
    expect(t.emitted).toContainEqual({ type: 'child.disposed', id: 'a', generation: 1, late: true });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('stuck');
      },
    ],
    ['rejects', () => Promise.reject(new Error('stuck'))],
  ])('that %s is reported, and the supervisor goes on', async (_, onDispose) => {
    const t = supervise({ onDispose });
    t.spawn(workerSpec('a'));
    t.drain();
    await settle();
    expect(t.status()).toBe('done');
    expect(t.reports).toMatchObject([
      { supervisor: 'sup', context: 'shutdown_error', reason: { message: 'releasing what a held failed: stuck' } },
    ]);
  });

  it('begins for every child when the supervisor itself is stopped', () => {
    const disposed: string[] = [];
    const t = supervise({ onDispose: async (id) => void disposed.push(id) });
    t.spawn(workerSpec('a'), workerSpec('b'));
    const [a, b] = [t.child('a'), t.child('b')];
    t.sup.stop();
    expect(disposed).toEqual(['b', 'a']);
    expect([a.getSnapshot().status, b.getSnapshot().status]).toEqual(['stopped', 'stopped']);
  });
});

it('a report carries the four fields of OTP', () => {
  const t = supervise();
  t.spawn(workerSpec('a', { restart: 'transient', shutdown: 7 }));
  t.child('a').send({ type: 'finish', output: 'bad' });
  expect(t.reports).toEqual([
    {
      supervisor: 'sup',
      context: 'child_terminated',
      reason: 'bad',
      offender: { id: 'a', generation: 1, restart: 'transient', shutdown: 7 },
    },
  ]);
});

it('a reporter that throws takes nobody down', () => {
  const t = supervise({
    report: () => {
      throw new Error('reporter');
    },
  });
  t.spawn(workerSpec('a'));
  t.child('a').send({ type: 'crash' });
  expect(t.status()).toBe('active');
});

it('ten thousand children are spawned and drained, and nothing of them stays', () => {
  const t = supervise({ stopOrder: 'together' });
  const count = 10_000;
  for (let index = 0; index < count; index += 1) t.spawn(workerSpec(`w${index}`));
  expect(t.sup.getSnapshot().context.children.size).toBe(count);
  t.drain();
  expect(t.status()).toBe('done');
  expect(t.exits()).toHaveLength(count);
  expect(t.exits()[0]?.id).toBe(`w${count - 1}`);
  expect(t.sup.getSnapshot().context.children.size).toBe(0);
  expect(Object.keys(t.sup.system.getSnapshot()._scheduledEvents)).toEqual([]);
});

it('a machine can own a supervisor: its end and its giving up arrive as events', () => {
  const supervisor = createSupervisor({
    report: () => undefined,
    intensity: { maxRestarts: 0, withinMs: 1_000 },
    children: [workerSpec('a', { restart: 'permanent' })],
  });
  const root = setup({ actors: { supervisor } }).createMachine({
    initial: 'open',
    states: {
      open: { invoke: { id: 'sup', src: 'supervisor', onDone: 'drained', onError: 'failed' } },
      drained: {},
      failed: {},
    },
  });
  const ended = createActor(root).start();
  ended.getSnapshot().children.sup?.send({ type: 'sup.drain' });
  expect(ended.getSnapshot().value).toBe('drained');

  const failed = createActor(root).start();
  failed.getSnapshot().children.sup?.getSnapshot().context.children.get('a')?.ref?.send({ type: 'crash' });
  expect(failed.getSnapshot().value).toBe('failed');
  failed.stop();
  ended.stop();
});

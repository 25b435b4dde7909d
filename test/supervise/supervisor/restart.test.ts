import { describe, expect, it } from 'vitest';
import { fromCallback, setup } from 'xstate';
import { RestartIntensityError } from '../../../src/supervise/index.js';
import { stillborn, supervise, workerSpec } from '../fixtures.js';

const often = { maxRestarts: 100, withinMs: 1_000 };

describe('restart kinds', () => {
  it.each([
    ['permanent', 'good', 2],
    ['permanent', 'bad', 2],
    ['transient', 'good', 1],
    ['transient', 'bad', 2],
    ['temporary', 'good', 1],
    ['temporary', 'bad', 1],
  ] as const)('a %s child that ends with output "%s" has been started %i times', (restart, output, starts) => {
    const t = supervise({ intensity: often });
    t.spawn(workerSpec('a', { restart }));
    t.child('a').send({ type: 'finish', output });
    expect(t.emitted.filter((event) => event.type === 'child.started')).toHaveLength(starts);
    expect(t.ids()).toEqual(starts === 2 ? ['a'] : []);
  });

  it('a transient child comes back after an error', () => {
    const t = supervise({ intensity: often });
    t.spawn(workerSpec('a', { restart: 'transient' }));
    t.child('a').send({ type: 'crash' });
    expect(t.take()).toEqual(['started a', 'exited a', 'disposed a', 'restarting a', 'started a']);
    expect(t.exits()).toEqual([{ id: 'a', kind: 'abnormal', reason: new Error('crashed') }]);
  });

  it('somebody who stops a permanent child from outside sees it come back', () => {
    const t = supervise();
    t.spawn(workerSpec('a', { restart: 'permanent' }));
    t.child('a').stop();
    expect(t.exits()).toEqual([{ id: 'a', kind: 'shutdown', forced: true }]);
    expect(t.child('a').getSnapshot().status).toBe('active');
  });

  it('an isAbnormal that throws makes the exit abnormal, with that error as the reason', () => {
    const t = supervise();
    const isAbnormal = () => {
      throw new Error('cannot judge');
    };
    t.spawn(workerSpec('a', { isAbnormal }));
    t.child('a').send({ type: 'finish', output: 'x' });
    expect(t.exits()).toEqual([{ id: 'a', kind: 'abnormal', reason: new Error('cannot judge') }]);
  });

  it('a message about an older incarnation is dropped', () => {
    const t = supervise({ intensity: often });
    t.spawn(workerSpec('a', { restart: 'permanent' }));
    t.child('a').send({ type: 'finish', output: 'x' });
    const stale = { type: 'sup._exited', id: 'a', generation: 1, ending: { status: 'stopped' } };
    t.sup.send(stale as never);
    expect(t.sup.getSnapshot().context.children.get('a')).toMatchObject({ generation: 2, phase: 'running' });
    expect(t.exits()).toHaveLength(1);
  });
});

describe('strategies', () => {
  const three = (strategy: 'one_for_one' | 'one_for_all' | 'rest_for_one') => {
    const t = supervise({
      strategy,
      intensity: often,
      children: ['a', 'b', 'c'].map((id) => workerSpec(id, { restart: 'permanent' })),
    });
    expect(t.take()).toEqual(['started a', 'started b', 'started c']);
    t.child('b').send({ type: 'crash' });
    return t.take();
  };

  it('one_for_one restarts the child that ended and nobody else', () => {
    expect(three('one_for_one')).toEqual(['exited b', 'disposed b', 'restarting b', 'started b']);
  });

  it('one_for_all takes all down, the youngest first, and starts all, the oldest first', () => {
    expect(three('one_for_all')).toEqual([
      ...['exited b', 'disposed b', 'exited c', 'disposed c', 'exited a', 'disposed a'],
      ...['restarting a', 'restarting b', 'restarting c', 'started a', 'started b', 'started c'],
    ]);
  });

  it('rest_for_one leaves the older children alone', () => {
    expect(three('rest_for_one')).toEqual([
      ...['exited b', 'disposed b', 'exited c', 'disposed c'],
      ...['restarting b', 'restarting c', 'started b', 'started c'],
    ]);
  });

  it('temporary children of a group go down and stay down', () => {
    const t = supervise({ strategy: 'one_for_all', intensity: often });
    t.spawn(workerSpec('a', { restart: 'permanent' }), workerSpec('once'));
    t.child('a').send({ type: 'crash' });
    expect(t.ids()).toEqual(['a']);
  });

  it('a temporary child that fails takes nobody with it', () => {
    const t = supervise({ strategy: 'one_for_all' });
    t.spawn(workerSpec('a', { restart: 'permanent' }), workerSpec('once'));
    t.take();
    t.child('once').send({ type: 'crash' });
    expect(t.take()).toEqual(['exited once', 'disposed once']);
  });

  it('a group waits for the member that takes its time, and a child spawned meanwhile starts with the group', () => {
    const t = supervise({ strategy: 'one_for_all', intensity: often });
    t.spawn(workerSpec('slow', { restart: 'permanent' }), workerSpec('b', { restart: 'permanent' }));
    t.child('slow').send({ type: 'stall' });
    t.take();
    t.child('b').send({ type: 'crash' });
    t.spawn(workerSpec('late', { restart: 'permanent' }));
    expect(t.take()).toEqual(['exited b', 'disposed b']);
    t.child('slow').send({ type: 'finish', output: 'x' });
    expect(t.take()).toEqual([
      ...['exited slow', 'disposed slow', 'restarting slow', 'restarting b', 'restarting late'],
      ...['started slow', 'started b', 'started late'],
    ]);
  });

  it('a group going down and an older offender become one group', () => {
    const t = supervise({
      strategy: 'rest_for_one',
      intensity: often,
      children: ['a', 'b', 'c'].map((id) => workerSpec(id, { restart: 'permanent' })),
    });
    t.child('c').send({ type: 'stall' });
    t.take();
    t.child('b').send({ type: 'crash' });
    t.child('a').send({ type: 'crash' });
    t.child('c').send({ type: 'finish', output: 'x' });
    expect(t.take().slice(-6)).toEqual([
      ...['restarting a', 'restarting b', 'restarting c', 'started a', 'started b', 'started c'],
    ]);
  });

  it('a member terminated while its group goes down does not come back with it', () => {
    const t = supervise({ strategy: 'one_for_all', intensity: often });
    t.spawn(workerSpec('slow', { restart: 'permanent' }), workerSpec('b', { restart: 'permanent' }));
    t.child('slow').send({ type: 'stall' });
    t.child('b').send({ type: 'crash' });
    t.sup.send({ type: 'sup.terminate', id: 'b' });
    t.child('slow').send({ type: 'finish', output: 'x' });
    expect(t.ids()).toEqual(['slow']);
    expect(t.child('slow').getSnapshot().status).toBe('active');
  });
});

describe('intensity', () => {
  it('gives up on one restart too many, stops the rest in reverse order and fails with RestartIntensityError', () => {
    const t = supervise({ intensity: { maxRestarts: 2, withinMs: 1_000 } });
    t.spawn(workerSpec('a', { restart: 'permanent' }), workerSpec('b'), workerSpec('c'));
    t.take();
    for (let crash = 0; crash < 3; crash += 1) t.child('a').send({ type: 'crash' });
    expect(t.take().slice(-7)).toEqual([
      ...['exited a', 'escalated', 'disposed a', 'exited c', 'disposed c', 'exited b', 'disposed b'],
    ]);
    expect(t.status()).toBe('error');
    expect(t.failure()).toBeInstanceOf(RestartIntensityError);
    expect(t.failure()).toMatchObject({ code: 'E-SUP-901', cause: new Error('crashed') });
    expect(t.reports.map((report) => report.context)).toEqual([
      ...['child_terminated', 'child_terminated', 'child_terminated', 'restart_intensity'],
    ]);
  });

  it('forgets restarts older than the window', () => {
    const t = supervise({ intensity: { maxRestarts: 1, withinMs: 1_000 } });
    t.spawn(workerSpec('a', { restart: 'permanent' }));
    for (let crash = 0; crash < 5; crash += 1) {
      t.child('a').send({ type: 'crash' });
      t.clock.increment(1_001);
    }
    expect(t.status()).toBe('active');
  });

  it('ends a child that fails inside every start, without ever reaching the process', () => {
    const t = supervise({ intensity: { maxRestarts: 3, withinMs: 1_000 } });
    t.spawn({ id: 'a', src: stillborn, restart: 'permanent' });
    expect(t.status()).toBe('error');
    expect(t.reports.map((report) => report.context)).toEqual([
      ...['start_error', 'start_error', 'start_error', 'start_error', 'restart_intensity'],
    ]);
  });

  it.each([
    { maxRestarts: -1, withinMs: 1 },
    { maxRestarts: 1.5, withinMs: 1 },
    { maxRestarts: Number.POSITIVE_INFINITY, withinMs: 1 },
    { maxRestarts: 1, withinMs: 0 },
  ])('refuses the intensity %o', (intensity) => {
    expect(() => supervise({ intensity })).toThrow(RangeError);
  });
});

describe('back-off', () => {
  it('waits longer each time and starts over after a healthy run', () => {
    const t = supervise({ intensity: { maxRestarts: 10, withinMs: 1_000 }, backoff: (attempt) => attempt * 100 });
    t.spawn(workerSpec('a', { restart: 'permanent' }));
    const delays = () => t.emitted.flatMap((event) => (event.type === 'child.restarting' ? [event.delayMs] : []));
    t.child('a').send({ type: 'crash' });
    t.clock.increment(99);
    expect(t.sup.getSnapshot().context.children.get('a')?.phase).toBe('waiting');
    t.clock.increment(1);
    expect(t.sup.getSnapshot().context.children.get('a')?.phase).toBe('running');
    t.child('a').send({ type: 'crash' });
    t.clock.increment(200);
    t.clock.increment(1_001);
    t.child('a').send({ type: 'crash' });
    expect(delays()).toEqual([100, 200, 100]);
  });

  it('a child waiting to come back can be terminated', () => {
    const t = supervise({ backoff: () => 100 });
    t.spawn(workerSpec('a', { restart: 'permanent' }));
    t.child('a').send({ type: 'crash' });
    t.sup.send({ type: 'sup.terminate', id: 'a' });
    t.clock.increment(1_000);
    expect(t.ids()).toEqual([]);
    expect(t.emitted.filter((event) => event.type === 'child.started')).toHaveLength(1);
  });

  it('a group waits once, by the back-off of its offender', () => {
    const t = supervise({ strategy: 'one_for_all', intensity: often, backoff: () => 100 });
    t.spawn(workerSpec('a', { restart: 'permanent' }), workerSpec('b', { restart: 'permanent' }));
    t.child('b').send({ type: 'crash' });
    t.take();
    t.clock.increment(100);
    expect(t.take()).toEqual(['started a', 'started b']);
  });
});

it('a child that errors is never an uncaught exception, however its failure comes about (reports row 30)', async () => {
  const t = supervise();
  const failures: unknown[] = [];
  const hear = (error: unknown) => failures.push(error);
  process.on('uncaughtException', hear);
  try {
    t.spawn(workerSpec('throws'), { id: 'stillborn', src: stillborn, restart: 'temporary' });
    t.child('throws').send({ type: 'crash' });
    t.spawn({
      id: 'inspected',
      src: stillborn,
      restart: 'temporary',
      system: {
        inspect: () => {
          throw new Error('inspector');
        },
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
  } finally {
    process.off('uncaughtException', hear);
  }
  expect(failures).toEqual([]);
  expect(t.ids()).toEqual([]);
  expect(t.status()).toBe('active');
  expect(t.reports.map(({ context, offender }) => [offender.id, context])).toEqual([
    ['stillborn', 'start_error'],
    ['throws', 'child_terminated'],
    ['inspected', 'start_error'],
  ]);
});

it('children of a machine that failed are stopped and cleaned up (reports row 29)', () => {
  let cleaned = 0;
  const poller = fromCallback(() => () => {
    cleaned += 1;
  });
  const parent = setup({
    actors: { poller },
    actions: {
      crash: () => {
        throw new Error('crashed');
      },
    },
  }).createMachine({ invoke: { id: 'poller', src: 'poller' }, on: { crash: { actions: 'crash' } } });
  const t = supervise();
  t.spawn({ id: 'a', src: parent, restart: 'temporary' });
  t.child('a').send({ type: 'crash' });
  expect(cleaned).toBe(1);
});

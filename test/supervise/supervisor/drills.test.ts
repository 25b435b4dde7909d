/** The supervisor's promises once more, each on a simulated clock and on the real one, and as far up as the root chart. */
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AnyActorRef, createActor, fromCallback, SimulatedClock } from 'xstate';
import { type MurmurOutput, murmurMachine } from '../../../machines/murmur/machine.js';
import {
  type ChildSpec,
  createSupervisor,
  type ExitReport,
  observe,
  type SupervisorEmitted,
  type SupervisorOptions,
} from '../../../src/supervise/index.js';
import { churn } from '../churn.js';
import { stillborn, workerSpec } from '../fixtures.js';

interface Time {
  readonly clock: SimulatedClock | undefined;
  monotonic(): number;
  pass(ms: number): Promise<void>;
}

const times: Record<string, () => Time> = {
  simulated: () => {
    const clock = new SimulatedClock();
    return {
      clock,
      monotonic: () => clock.now(),
      pass: async (ms) => {
        await new Promise(setImmediate);
        clock.increment(ms);
        await new Promise(setImmediate);
      },
    };
  },
  // A little more than asked for, since a timer may be a millisecond early by the other clock.
  real: () => ({ clock: undefined, monotonic: () => performance.now(), pass: (ms) => sleep(ms + 20) }),
};

function drill(time: Time, options: Partial<SupervisorOptions>, specs: readonly ChildSpec[]) {
  const events: string[] = [];
  const reports: ExitReport[] = [];
  const refs = new Map<string, AnyActorRef>();
  let failure: unknown;
  const logic = createSupervisor({ report: (report) => reports.push(report), clock: time, ...options });
  const sup = createActor(logic, { id: 'sup', ...(time.clock && { clock: time.clock }) });
  sup.on('*', (event: SupervisorEmitted) => {
    if (event.type === 'child.started') refs.set(event.id, event.ref);
    events.push('id' in event ? `${event.type.slice('child.'.length)} ${event.id}` : event.type);
  });
  observe(sup, { error: (error) => (failure = error) });
  sup.start();
  onTestFinished(() => void sup.stop());
  for (const child of specs) sup.send({ type: 'sup.spawn', child });
  return {
    sup,
    reports,
    take: () => events.splice(0),
    send: (id: string, type: string) => refs.get(id)!.send({ type }),
    status: () => sup.getSnapshot().status,
    failure: () => failure,
  };
}

const permanent = (id: string, more: Partial<ChildSpec> = {}) =>
  workerSpec(id, { restart: 'permanent', ...more } as Parameters<typeof workerSpec>[1]);
const three = ['a', 'b', 'c'].map((id) => permanent(id));
const manyRestarts = { maxRestarts: 100, withinMs: 60_000 };

describe.each(Object.entries(times))('on the %s clock', (_, timeOf) => {
  it.each([
    ['one_for_one', ['b']],
    ['rest_for_one', ['b', 'c']],
    ['one_for_all', ['a', 'b', 'c']],
  ] as const)('%s brings back its part after a child threw in an action', async (strategy, back) => {
    const time = timeOf();
    const t = drill(time, { strategy, intensity: manyRestarts, backoff: () => 10 }, three);
    t.take();
    t.send('b', 'crash');
    await time.pass(10);
    expect(t.take().filter((event) => event.startsWith('started'))).toEqual(back.map((id) => `started ${id}`));
    expect(t.reports).toMatchObject([{ context: 'child_terminated', offender: { id: 'b' } }]);
    expect(t.status()).toBe('active');
  });

  it('a child that fails too often takes the supervisor down, the others in order first', async () => {
    const time = timeOf();
    const t = drill(time, { intensity: { maxRestarts: 2, withinMs: 1_000 }, backoff: () => 5 }, three);
    for (let crash = 0; crash < 3; crash += 1) {
      t.take();
      t.send('a', 'crash');
      await time.pass(5);
    }
    expect(t.take()).toEqual([
      'exited a',
      'sup.escalated',
      'disposed a',
      'exited c',
      'disposed c',
      'exited b',
      'disposed b',
    ]);
    expect(t.status()).toBe('error');
    expect(t.failure()).toMatchObject({ code: 'E-SUP-901' });
  });

  it('waits longer before each restart in a row', async () => {
    const time = timeOf();
    const waits = [20, 40];
    const t = drill(time, { intensity: manyRestarts, backoff: (attempt) => waits[attempt - 1]! }, [permanent('a')]);
    for (const waitMs of waits) {
      t.take();
      const from = time.monotonic();
      t.send('a', 'crash');
      expect(t.take()).toEqual(['exited a', 'disposed a', 'restarting a']);
      await time.pass(waitMs);
      expect(t.take()).toEqual(['started a']);
      expect(time.monotonic() - from).toBeGreaterThanOrEqual(waitMs);
    }
  });

  it('a child that never drains is stopped at its deadline, and the next one is asked then', async () => {
    const time = timeOf();
    const t = drill(
      time,
      {},
      ['a', 'stuck'].map((id) => workerSpec(id, { shutdown: 30 })),
    );
    t.send('stuck', 'stall');
    t.take();
    t.sup.send({ type: 'sup.drain' });
    expect(t.take()).toEqual([]);
    await time.pass(30);
    expect(t.take()).toEqual(['exited stuck', 'disposed stuck', 'exited a', 'disposed a', 'sup.drained']);
    expect(t.reports).toMatchObject([{ context: 'shutdown_error', offender: { id: 'stuck' } }]);
    expect(t.status()).toBe('done');
  });

  it('a release that hangs is left behind after its time', async () => {
    const time = timeOf();
    const t = drill(time, { disposeMs: 30, onDispose: () => new Promise(() => undefined) }, [workerSpec('a')]);
    t.take();
    t.sup.send({ type: 'sup.drain' });
    expect(t.status()).toBe('active');
    await time.pass(30);
    expect(t.take()).toEqual(['exited a', 'disposed a', 'sup.drained']);
    expect(t.reports).toMatchObject([{ context: 'shutdown_error', reason: { code: 'E-SUP-903' } }]);
  });

  it('a supervisor that gives up closes the root chart, which says why', async () => {
    const time = timeOf();
    const sessions = createSupervisor({
      report: () => undefined,
      clock: time,
      intensity: { maxRestarts: 1, withinMs: 1_000 },
      children: [permanent('a', { src: stillborn } as Partial<ChildSpec>)],
      backoff: () => 10,
    });
    const root = createActor(murmurMachine.provide({ actors: { sessions, signals: fromCallback(() => undefined) } }), {
      input: { forceAfterMs: 1_000, firstSignal: 'drains' },
      ...(time.clock && { clock: time.clock }),
    });
    root.start();
    expect(root.getSnapshot().status).toBe('active');
    await time.pass(10);
    const { status, output } = root.getSnapshot();
    expect(status).toBe('done');
    expect(output satisfies MurmurOutput | undefined).toMatchObject({ forced: false, fault: { code: 'E-SUP-901' } });
  });
});

it('signals that cannot be heard end the sessions in order and are the reason of the end', async () => {
  const deaf = fromCallback<{ type: string }, undefined>(() => {
    throw new Error('signals cannot be heard');
  });
  const sessions = createSupervisor({ report: () => undefined, children: [workerSpec('a')] });
  const root = createActor(murmurMachine.provide({ actors: { sessions, signals: deaf } }), {
    input: { forceAfterMs: 1_000, firstSignal: 'drains' },
  });
  root.start();
  expect(root.getSnapshot()).toMatchObject({
    status: 'done',
    output: { forced: false, fault: { message: 'signals cannot be heard' } },
  });
});

it('an embedded process whose supervisor gives up ends with an error, not with a hang or a crash', () => {
  const dist = (path: string) => JSON.stringify(new URL(`../../../dist/${path}`, import.meta.url).href);
  const code = `
    import { createActor, fromCallback } from 'xstate';
    const { murmurMachine } = await import(${dist('machines/murmur/machine.js')});
    const { createSupervisor, observe } = await import(${dist('src/supervise/index.js')});
    const failing = fromCallback(({ sendBack }) => { throw new Error('born to fail'); });
    const sessions = createSupervisor({ report: () => {}, children: [{ id: 'a', src: failing }] });
    const held = setInterval(() => {}, 1000);
    const root = createActor(murmurMachine.provide({ actors: { sessions, signals: fromCallback(() => {}) } }),
      { input: { forceAfterMs: 1000, firstSignal: 'drains' } });
    observe(root, { error: () => process.exit(99), complete: () => {
      clearInterval(held);
      console.log(root.getSnapshot().output.fault.code);
      process.exitCode = 1;
    } });
    root.start();`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: 'E-SUP-901\n', stderr: '' });
});

// test/soak/supervisor.test.ts has ten thousand of them come and go.
it('sessions of the real chart come and go, and the heap does not grow', { timeout: 120_000 }, async () => {
  const { grownBytes, scheduled } = await churn({ sessions: 1_000, warmUp: 500 });
  // A kilobyte a session: the context of one that is kept is several.
  expect(grownBytes).toBeLessThan(1_000 * 1_000);
  expect(scheduled).toEqual([]);
});

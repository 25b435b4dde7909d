import { describe, expect, test, vi } from 'vitest';
import { createActor, fromCallback, fromPromise, SimulatedClock } from 'xstate';
import {
  type Asked,
  type Settled,
  type SignalOutcome,
  type StopReading,
  type StopSignal,
  stopMachine,
} from '../../machines/index.js';
import { observe } from '../../src/supervise/index.js';
import { broke, done, type Fact, fold, valueText } from './table.js';

const input = { sessionId: 'ses_a', pid: 4242, graceMs: 10_000, limitMs: 30_000 };
const look = (id: string, verdict: StopReading['verdict'], reason: string | null = null): Fact =>
  done(id, { verdict, reason });
const sent = (id: string, via = 'pidfd'): Fact => done(id, { outcome: 'Sent', via });
const asked = { ok: true, canceled: [], residue: [] };
const noticed: Fact = { type: 'exit.noticed' };
const graceOver: Fact = { type: 'xstate.after.grace.stop.stopping.draining' };
const confirmOver: Fact = { type: 'xstate.after.confirm.stop.stopping.dying' };
const pruned = done('prune', null);

const toTerm = [look('verify', 'Alive'), done('ask', asked), done('settle', { unended: [] })];
const toDrain = [...toTerm, sent('terminate')];
const toKill = [...toDrain, graceOver, look('reverify', 'Alive')];
const toDie = [...toKill, sent('kill', 'kill')];

const at = (...facts: Fact[]) => {
  const snapshot = fold(stopMachine, input, facts);
  return { state: valueText(snapshot.value), output: snapshot.output, context: snapshot.context };
};
const fault = (reason: string) => ({ code: 'E-RUN-024', message: `ses_a could not be ended: ${reason}` });

describe('a session that is stopped', () => {
  test('is verified, asked, told to end, and counts as stopped once it is gone and its record with it', () => {
    expect(at().state).toBe('stopping.verifying');
    expect(at(toTerm[0]!).state).toBe('stopping.asking');
    expect(at(...toTerm).state).toBe('stopping.terminating');
    expect(at(...toDrain).state).toBe('stopping.draining');
    expect(at(...toDrain, noticed).state).toBe('pruning');
    expect(at(...toDrain, noticed, pruned)).toMatchObject({
      state: 'ended',
      output: { signal: 'SIGTERM', via: 'pidfd', asked, unended: [], fault: null },
    });
  });

  test('with tasks waits for their endings first', () => {
    const facts = [look('verify', 'Alive'), done('ask', { ...asked, canceled: ['tsk_a', 'tsk_b'] })];
    expect(at(...facts).state).toBe('stopping.settling');
    expect(at(...facts, done('settle', { unended: ['tsk_b'] }))).toMatchObject({
      state: 'stopping.terminating',
      context: { unended: ['tsk_b'] },
    });
    expect(at(...facts, broke('settle', new Error('bug'))).context.unended).toEqual(['tsk_a', 'tsk_b']);
  });

  test('with a door that does not answer is stopped all the same', () => {
    const silent = { ok: false, reason: 'timed out' };
    expect(at(look('verify', 'Alive'), done('ask', silent))).toMatchObject({
      state: 'stopping.settling',
      context: { asked: silent },
    });
    expect(at(look('verify', 'Alive'), broke('ask', new Error('bug'))).context.asked).toEqual({
      ok: false,
      reason: 'bug',
    });
  });

  test('that has ended meanwhile is a success without a signal', () => {
    expect(at(look('verify', 'Gone', 'no process holds pid 4242'), pruned).output).toMatchObject({
      signal: null,
      asked: { ok: false, reason: 'no process holds pid 4242' },
      fault: null,
    });
    expect(at(...toTerm, done('terminate', { outcome: 'AlreadyGone' }), pruned).output).toMatchObject({
      signal: null,
      fault: null,
    });
  });

  test('that outlasts its grace is killed, after another look', () => {
    expect(at(...toDrain, graceOver).state).toBe('stopping.reverifying');
    expect(at(...toDrain, graceOver, look('reverify', 'Gone'), pruned).output.signal).toBe('SIGTERM');
    expect(at(...toKill).state).toBe('stopping.killing');
    expect(at(...toKill, done('kill', { outcome: 'AlreadyGone' }), pruned).output.signal).toBe('SIGTERM');
    expect(at(...toDie, noticed, pruned).output).toMatchObject({
      signal: 'SIGKILL',
      via: 'kill',
      fault: null,
    });
  });

  test('goes on without a watcher', () => {
    expect(at(...toDrain, broke('watch', new Error('bug'))).state).toBe('stopping.draining');
  });
});

describe('a session that could not be ended', () => {
  const unread = "pid 4242's start time could not be read";

  test.each([
    ['cannot be verified: no signal', [look('verify', 'Unverified', unread)], unread],
    ['cannot be looked at', [broke('verify', new Error('bug'))], 'bug'],
    [
      'refuses SIGTERM',
      [...toTerm, done('terminate', { outcome: 'Refused', reason: 'Operation not permitted (os error 1)' })],
      'SIGTERM to pid 4242 was refused: Operation not permitted (os error 1)',
    ],
    [
      'becomes unverifiable before SIGKILL',
      [
        ...toDrain,
        graceOver,
        look('reverify', 'Unverified', unread),
        done('kill', { outcome: 'Refused', reason: unread }),
      ],
      `SIGKILL to pid 4242 was refused: ${unread}`,
    ],
    [
      'survives SIGKILL',
      [...toDie, confirmOver, look('confirm', 'Alive')],
      'pid 4242 was still running 5 seconds after SIGKILL',
    ],
    [
      'takes longer than everything together may',
      [...toDrain, { type: 'xstate.after.limit.stop.stopping' }],
      'pid 4242 was not gone after 30 seconds',
    ],
  ])('%s, keeps its record and says why', (_, facts, reason) => {
    expect(at(...facts)).toMatchObject({ state: 'kept', output: { fault: fault(reason) } });
  });

  test('gets a last look after SIGKILL, in case its end was missed', () => {
    expect(at(...toDie, confirmOver, look('confirm', 'Gone'), pruned).output.fault).toBeNull();
  });
});

describe('the time it takes', () => {
  /** A process that dies of `dies`, `afterMs` of monotonic time after it. */
  async function run(options: { dies: StopSignal | 'never'; graceMs?: number; notices: boolean }) {
    const clock = new SimulatedClock();
    const signals: { signal: StopSignal; at: number }[] = [];
    const killed = (): boolean => signals.some(({ signal }) => signal === options.dies);
    let prunes = 0;
    const actor = createActor(
      stopMachine.provide({
        actors: {
          read: fromPromise<StopReading, null>(async () => ({ verdict: killed() ? 'Gone' : 'Alive', reason: null })),
          ask: fromPromise<Asked, null>(async () => ({ ok: true, canceled: [], residue: [] })),
          settle: fromPromise<Settled, { readonly canceled: readonly string[] }>(async () => ({ unended: [] })),
          signal: fromPromise<SignalOutcome, { readonly signal: StopSignal }>(async ({ input: { signal } }) => {
            signals.push({ signal, at: clock.now() });
            return { outcome: 'Sent', via: 'pidfd' };
          }),
          watch: fromCallback(({ sendBack }) => {
            if (options.notices && killed()) sendBack({ type: 'exit.noticed' });
          }),
          prune: fromPromise<null, null>(async () => {
            prunes += 1;
            return null;
          }),
        },
      }),
      { input: { ...input, graceMs: options.graceMs ?? 10_000 }, clock },
    );
    observe(actor, { error: (error) => expect.unreachable(String(error)) });
    actor.start();
    // Time passes only while the chart waits for it.
    await vi.waitFor(
      () => {
        const value = valueText(actor.getSnapshot().value);
        if (/draining|dying/.test(value)) clock.increment(500);
        expect(actor.getSnapshot().status).toBe('done');
      },
      { timeout: 10_000, interval: 1 },
    );
    return { signals, prunes, output: actor.getSnapshot().output!, took: clock.now() };
  }

  test('SIGKILL comes exactly when the grace is over', async () => {
    const { signals, output, prunes } = await run({ dies: 'SIGKILL', notices: true });
    expect(signals).toEqual([
      { signal: 'SIGTERM', at: 0 },
      { signal: 'SIGKILL', at: 10_000 },
    ]);
    expect([output.fault, prunes]).toEqual([null, 1]);
  });

  test('a grace of 0 looks once and goes on', async () => {
    const { signals } = await run({ dies: 'SIGKILL', notices: true, graceMs: 0 });
    expect(signals.map(({ signal }) => signal)).toEqual(['SIGTERM', 'SIGKILL']);
    expect((await run({ dies: 'SIGTERM', notices: false, graceMs: 0 })).signals).toHaveLength(1);
  });

  test('an end that nobody notices is found when the wait is over', async () => {
    expect(await run({ dies: 'SIGTERM', notices: false })).toMatchObject({
      took: 10_000,
      output: { signal: 'SIGTERM' },
    });
    expect(await run({ dies: 'SIGKILL', notices: false })).toMatchObject({
      took: 15_000,
      output: { signal: 'SIGKILL' },
    });
  });

  test('a process that survives everything is reported 5 seconds after SIGKILL, its record kept', async () => {
    const { output, prunes, took } = await run({ dies: 'never', notices: false });
    expect(output.fault).toEqual(fault('pid 4242 was still running 5 seconds after SIGKILL'));
    expect([prunes, took]).toEqual([0, 15_000]);
  });
});

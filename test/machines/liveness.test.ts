import { describe, expect, test, vi } from 'vitest';
import { createActor, fromCallback, fromPromise, SimulatedClock } from 'xstate';
import type { DoorReading, LivenessEmitted, Reading } from '../../machines/index.js';
import { livenessMachine } from '../../machines/index.js';
import { observe } from '../../src/supervise/index.js';
import { broke, done, type Fact, fold, valueText } from './table.js';

const input = { sessionId: 'ses_a', recheckMs: 1_000 };
const reading = (verdict: Reading['verdict'], reason: string | null = null, at = 1): Reading => ({
  verdict,
  reason,
  evidence: [{ layer: 1, says: 'sample', at }],
  at,
});
const door = (verdict: DoorReading['door'], reason: string | null = null, at = 1): DoorReading => ({
  door: verdict,
  reason,
  evidence: [{ layer: 3, says: 'sample', at }],
  at,
});
const alive = done('read', reading('Alive'));
const live = done('probe', door('Live'));
const later = (state: string): Fact => ({ type: `xstate.after.recheck.liveness.${state}` });
const noticed: Fact = { type: 'exit.noticed' };
const gone = reading('Gone', 'no process holds pid 4242', 9);

const at = (...facts: Fact[]) => {
  const snapshot = fold(livenessMachine, input, facts);
  return { state: valueText(snapshot.value), context: snapshot.context, output: snapshot.output };
};

describe('one watched record', () => {
  test('is verified, then its door is asked', () => {
    expect(at().state).toBe('verifying');
    expect(at(alive).state).toBe('alive.probing');
    expect(at(alive, live)).toMatchObject({ state: 'alive.live', context: { verdict: 'Alive', door: 'Live' } });
  });

  test('with a silent door is unreachable and kept', () => {
    expect(at(alive, done('probe', door('Unreachable', 'silent')))).toMatchObject({
      state: 'alive.unreachable',
      context: { verdict: 'Alive', door: 'Unreachable', reason: 'silent' },
    });
  });

  test('whose start time cannot be read is unverified, and its door is not asked', () => {
    const facts = [done('read', reading('Unverified', "pid 4242's start time could not be read"))];
    expect(at(...facts)).toMatchObject({ state: 'unverified', context: { verdict: 'Unverified', door: null } });
    expect(at(...facts, later('unverified')).state).toBe('verifying');
  });

  test('whose process is gone ends, with the reason', () => {
    expect(at(done('read', gone))).toMatchObject({
      state: 'gone',
      output: { sessionId: 'ses_a', reason: 'no process holds pid 4242' },
    });
  });

  test.each(['live', 'unreachable'])('is verified again after a while, %s or not', (state) => {
    const probed = done('probe', door(state === 'live' ? 'Live' : 'Unreachable', 'x'));
    expect(at(alive, probed, later(`alive.${state}`)).state).toBe('verifying');
  });

  test('is read again when its end is noticed: a notice is no evidence', () => {
    expect(at(alive, live, noticed).state).toBe('alive.rereading');
    expect(at(alive, live, noticed, done('reread', gone)).state).toBe('gone');
    expect(at(alive, live, noticed, done('reread', reading('Alive'))).state).toBe('alive.probing');
    expect(at(alive, live, noticed, done('reread', reading('Unverified', 'x'))).state).toBe('unverified');
  });

  test('that ends while its door is asked is read again, and never called unreachable', () => {
    expect(at(alive, done('probe', door('Gone', 'x')))).toMatchObject({
      state: 'alive.rereading',
      context: { door: null },
    });
  });

  test.each([
    ['reading', [broke('read', new Error('bug'))], 'unverified'],
    ['reading again', [alive, live, noticed, broke('reread', new Error('bug'))], 'unverified'],
    ['asking the door', [alive, broke('probe', new Error('bug'))], 'alive.unreachable'],
    ['watching', [alive, live, broke('watch', new Error('bug'))], 'alive.live'],
  ])('an effect that breaks while %s is no evidence either', (_, facts, state) => {
    expect(at(...facts).state).toBe(state);
  });
});

describe('what is emitted', () => {
  /** Runs the chart over scripted readings on a clock of its own; the readings carry any wall time they like. */
  async function emitted(script: { reads: Reading[]; doors: DoorReading[] }, rounds: number) {
    const clock = new SimulatedClock();
    const heard: LivenessEmitted[] = [];
    const counts = { reads: 0, watches: 0 };
    const actor = createActor(
      livenessMachine.provide({
        actors: {
          read: fromPromise(async () => {
            counts.reads += 1;
            return script.reads.shift() ?? gone;
          }),
          probe: fromPromise(async () => script.doors.shift() ?? door('Live')),
          watch: fromCallback(() => {
            counts.watches += 1;
            return () => {
              counts.watches -= 1;
            };
          }),
        },
      }),
      { input, clock },
    );
    for (const type of ['Alive', 'Unverified', 'Gone', 'Live', 'Unreachable'] as const) {
      actor.on(type, (event) => void heard.push(event));
    }
    observe(actor, { error: (error) => expect.unreachable(String(error)) });
    actor.start();
    for (let round = 0; round < rounds; round += 1) {
      await vi.waitFor(
        () => {
          const value = valueText(actor.getSnapshot().value);
          expect(['alive.live', 'alive.unreachable', 'unverified', 'gone']).toContain(value);
        },
        { timeout: 20_000, interval: 1 },
      );
      clock.increment(input.recheckMs);
    }
    const snapshot = actor.getSnapshot();
    actor.stop();
    return { heard, counts, snapshot };
  }

  test('is one event per change, however often it is read', async () => {
    const { heard, counts } = await emitted(
      {
        reads: [...Array(5).fill(reading('Alive')), reading('Unverified', 'x', 2), reading('Unverified', 'y', 3), gone],
        doors: [door('Live'), door('Live'), door('Unreachable', 'silent'), door('Unreachable', 'slow'), door('Live')],
      },
      8,
    );
    expect(heard.map(({ type }) => type)).toEqual(['Alive', 'Live', 'Unreachable', 'Live', 'Unverified', 'Gone']);
    expect(heard.at(-1)).toEqual({
      type: 'Gone',
      sessionId: 'ses_a',
      reason: gone.reason,
      evidence: gone.evidence,
      at: 9,
    });
    expect(counts).toEqual({ reads: 8, watches: 0 });
  });

  test('does not depend on the wall clock, which may step either way', async () => {
    const hour = 3_600_000;
    const stepped = [0, hour, -hour, 0].map((at) => reading('Alive', null, at));
    const { heard } = await emitted({ reads: [...stepped, gone], doors: [] }, 5);
    expect(heard.map(({ type }) => type)).toEqual(['Alive', 'Live', 'Gone']);
  });

  test('a process that comes back from unverified is announced anew, and so is its door', async () => {
    const reads = [reading('Alive'), reading('Unverified', 'x'), reading('Alive')];
    const { heard } = await emitted({ reads, doors: [] }, 4);
    expect(heard.map(({ type }) => type)).toEqual(['Alive', 'Live', 'Unverified', 'Alive', 'Live', 'Gone']);
  });
});

import { describe, expect, test } from 'vitest';
import { type AnyMachineSnapshot, assign, fromPromise, setup, transition } from 'xstate';
import { stateHash, stateOf } from '../../src/replay/index.js';
import { InertMachine } from '../../src/replay/inert.js';

const ran: string[] = [];
const machine = setup({
  types: { context: {} as { readonly count: number } },
  actors: {
    work: fromPromise(async () => {
      ran.push('work');
    }),
  },
  actions: { count: assign({ count: ({ context }) => context.count + 1 }), shout: () => void ran.push('shout') },
}).createMachine({
  id: 'sample',
  context: { count: 0 },
  initial: 'on',
  states: {
    on: {
      initial: 'slow',
      invoke: { id: 'work', src: 'work', systemId: 'worker' },
      on: { pause: 'off', again: { target: 'on', reenter: true, actions: 'count' }, shout: { actions: 'shout' } },
      states: { slow: { on: { faster: 'fast' } }, fast: {}, before: { type: 'history' } },
    },
    off: { on: { resume: 'on.before' } },
  },
});
const events = ['faster', 'pause', 'resume', 'again', 'shout', 'again', 'faster', 'pause', 'resume'];

describe('an inert machine', () => {
  test('steps as xstate does, also where its own scope cannot: an actor with a system id that starts again', () => {
    const inert = new InertMachine(machine);
    let { snapshot } = inert.start(undefined);
    let official = snapshot;
    for (const type of events) {
      [official] = transition(inert.machine, official as never, { type } as never) as unknown as [AnyMachineSnapshot];
      snapshot = inert.next(snapshot, { type }).snapshot;
      expect(stateHash(snapshot)).toBe(stateHash(official));
    }
    expect(snapshot.value).toEqual({ on: 'fast' });
  });

  test('runs nothing, and says what it was asked for', () => {
    const inert = new InertMachine(machine);
    const { snapshot, requests } = inert.start(undefined);
    expect(requests.map(({ text }) => text)).toEqual(['start work']);
    expect(inert.next(snapshot, { type: 'shout' }).requests).toMatchObject([{ text: 'shout' }]);
    expect(ran).toEqual([]);
  });

  test('goes on from a stored state as from the one that was stored, history states included', () => {
    const inert = new InertMachine(machine);
    let { snapshot } = inert.start(undefined);
    for (const type of events) {
      const stored = JSON.parse(JSON.stringify(stateOf({ path: 'session', run: 1, chart: 'sample' }, snapshot)));
      const restored = inert.next(inert.restore(stored), { type });
      const direct = inert.next(snapshot, { type });
      expect(stateHash(restored.snapshot)).toBe(stateHash(direct.snapshot));
      expect(restored.requests).toEqual(direct.requests);
      snapshot = direct.snapshot;
    }
  });

  test('refuses a stored state its chart does not have', () => {
    const inert = new InertMachine(machine);
    const stored = {
      path: 'session',
      run: 1,
      chart: 'sample',
      status: 'active',
      value: 'gone',
      context: {},
      children: [],
    };
    expect(() => inert.restore(stored as never)).toThrow();
  });
});

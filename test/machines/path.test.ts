import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, EventObject } from 'xstate';
import { setup } from 'xstate';
import { charts } from '../../machines/index.js';
import { configuration, nodesOf, statesOf, walk } from './walk.js';

/** Inputs beside the sample one, where a state is only reached with another kind of input. */
const moreInputs: Partial<Record<string, readonly object[]>> = {
  session: [
    { kind: 'script' },
    ...['none', 'queue'].flatMap((acceptance) => ['exit', 'sleep'].map((afterTask) => ({ acceptance, afterTask }))),
  ],
};

describe.each(Object.entries(charts))('every path of %s', (id, { machine, input, events }) => {
  const inputs = [input, ...(moreInputs[id] ?? []).map((change) => ({ ...(input as object), ...change }))];
  const walks = inputs.map((each) => walk(machine, each, events));

  it('reaches every state', () => {
    const entered = new Set(walks.flatMap((each) => [...each.entered]));
    expect(
      statesOf(machine)
        .filter((state) => !entered.has(state.id))
        .map((state) => state.id),
    ).toEqual([]);
  });

  it('can end: from every configuration some path leads to a final one', () => {
    for (const { snapshots, steps } of walks) {
      const canEnd = new Set(snapshots.filter((snapshot) => snapshot.status === 'done').map(configuration));
      for (let grown = true; grown; ) {
        const before = canEnd.size;
        for (const step of steps) if (canEnd.has(configuration(step.to))) canEnd.add(configuration(step.from));
        grown = canEnd.size > before;
      }
      expect(snapshots.map(configuration).filter((key) => !canEnd.has(key))).toEqual([]);
    }
  });

  it('never leaves a final state, never fails, and visits no configuration after the end', () => {
    for (const { paths, snapshots } of walks) {
      expect(snapshots.filter(({ status }) => status !== 'active' && status !== 'done')).toEqual([]);
      expect(paths.length).toBeGreaterThan(0);
      for (const path of paths) {
        const ended = path.findIndex((snapshot) => snapshot.status === 'done');
        expect(ended === -1 || ended === path.length - 1).toBe(true);
      }
    }
  });

  it('stays done when events come after the end', () => {
    for (const { snapshots } of walks) {
      for (const snapshot of snapshots.filter(({ status }) => status === 'done')) {
        expect(nodesOf(snapshot).some((node) => node.type === 'final')).toBe(true);
        expect(nodesOf(snapshot).flatMap((node) => (node.type === 'final' ? node.ownEvents : []))).toEqual([]);
      }
    }
  });

  it('starts no effect in a final state (reports row 28)', () => {
    const finals = statesOf(machine).filter((state) => state.type === 'final');
    expect(finals.length).toBeGreaterThan(0);
    expect(finals.filter((state) => state.invoke.length > 0).map((state) => state.id)).toEqual([]);
  });
});

describe('the walk itself', () => {
  const walkOf = (machine: AnyStateMachine, ...types: string[]) =>
    walk(
      machine,
      undefined,
      types.map((type): EventObject => ({ type })),
    );

  it('enters a state that is left within the same step', () => {
    const machine = setup({}).createMachine({
      initial: 'a',
      states: { a: { on: { go: 'passing' } }, passing: { always: 'b' }, b: { type: 'final' } },
    });
    expect([...walkOf(machine, 'go').entered].sort()).toEqual([
      '(machine)',
      '(machine).a',
      '(machine).b',
      '(machine).passing',
    ]);
  });

  it('sees a state that nothing leads to', () => {
    const machine = setup({}).createMachine({ initial: 'a', states: { a: {}, island: {} } });
    expect(walkOf(machine, 'go').entered.has('(machine).island')).toBe(false);
  });

  it('sees a machine that fails', () => {
    const machine = setup({
      guards: {
        broken: () => {
          throw new Error('guard');
        },
      },
    }).createMachine({ initial: 'a', states: { a: { on: { go: { guard: 'broken', target: 'b' } } }, b: {} } });
    expect(() => walkOf(machine, 'go')).toThrow('guard');
  });
});

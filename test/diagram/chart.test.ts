import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { charts } from '../../machines/index.js';
import { activeIds, chartOf, edgeId, labelOf } from '../../src/diagram/index.js';
import { example } from './example.js';

const chart = chartOf(example);
const labels = (from: string) => chart.edges.filter((edge) => edge.from === from).map(labelOf);

describe('a chart', () => {
  it('holds the states as they nest, with kind, initial state, actions, effects and history', () => {
    expect(chart.root).toMatchObject({ id: 'example', kind: 'compound', initial: 'example.idle' });
    const [idle, busy, gone] = chart.root.states;
    expect(idle).toMatchObject({ entry: ['greet'], exit: ['part'], description: 'Nothing <yet> & "quiet".' });
    expect(busy).toMatchObject({ kind: 'parallel', invokes: [{ id: 'get', src: 'fetch' }] });
    expect(busy).not.toHaveProperty('initial');
    expect(busy!.states[0]).toMatchObject({ kind: 'compound', initial: 'example.busy.left.one', entry: [], exit: [] });
    expect(busy!.states[0]!.states[2]).toMatchObject({ kind: 'history', history: 'deep' });
    expect(gone!.kind).toBe('final');
  });

  it('says in words what each transition waits for', () => {
    expect(labels('example.idle')).toEqual(['go [ready]', 'go [late and not ready]', 'go [else]', 'stay']);
    expect(labels('example.busy')).toEqual(['rest', 'get ✓', 'get ✗']);
    expect(labels('example.busy.left.one').sort()).toEqual(['after 250 ms', 'after patience', 'step']);
    expect(labels('example.busy.right.on')).toEqual(['[late]']);
  });

  it('lists the actions of a transition by name and tells staying from re-entering', () => {
    const [go, , again, stay] = chart.edges.filter((edge) => edge.from === 'example.idle');
    expect(go).toMatchObject({ to: ['example.busy'], actions: ['note', 'greet'] });
    expect(again).toMatchObject({ to: ['example.idle'], reenter: true });
    expect(stay).toMatchObject({ to: [], actions: ['note'] });
  });

  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
  });
});

it.each(Object.entries(charts))('every transition of %s has an id of its own', (_, { machine }) => {
  const ids = chartOf(machine).edges.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it('the transitions that inspection reports have the ids of the edges', () => {
  const taken: string[] = [];
  const actor = createActor(example, {
    inspect: (event) => {
      if (event.type === '@xstate.microstep') taken.push(...event._transitions.map((each) => edgeId(each as never)));
    },
  }).start();
  actor.send({ type: 'go' });
  actor.send({ type: 'rest' });
  actor.stop();
  expect(taken).toEqual(['example.idle#go#0', 'example.busy#rest#0']);
  expect(chart.edges.map(({ id }) => id)).toEqual(expect.arrayContaining(taken));
});

it('active ids follow the state value, through parallel regions', () => {
  expect(activeIds('example', 'idle')).toEqual(['example', 'example.idle']);
  expect(activeIds('example', { busy: { left: 'one', right: 'on' } })).toEqual([
    'example',
    'example.busy',
    'example.busy.left',
    'example.busy.left.one',
    'example.busy.right',
    'example.busy.right.on',
  ]);
});

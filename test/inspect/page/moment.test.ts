import { describe, expect, test } from 'vitest';
import { activeIds } from '../../../src/diagram/index.js';
import { Intake } from '../../../src/inspect/page/store/fold.js';
import { levelsOf, staged } from '../../../src/inspect/page/store/levels.js';
import { leafIds, momentAt } from '../../../src/inspect/page/store/moment.js';
import { ended, recorded, SESSION } from './frames.js';

const told = recorded();
const intake = new Intake();
intake.take(ended(told));
const session = intake.shown.sessions.get(SESSION)!;
const { defs } = intake.shown;
const start = session.entries[0]!.at;
const at = (ms: number) => momentAt(session, defs, { at: start + ms, q: Number.POSITIVE_INFINITY });
const states = (ms: number) => levelsOf(at(ms), defs).map(({ def, actor }) => [def.id, actor.snap.v, actor.gone]);

describe('time travel', () => {
  test('shows every chart as it was', () => {
    expect(states(100)).toEqual([['session', { staging: 'compiling' }, null]]);
    expect(states(3_480)).toEqual([
      ['session', { running: { serving: 'working' } }, null],
      ['task', { active: { loop: 'turning', attention: 'working' } }, null],
      ['turn', 'dispatching', null],
      ['tool-call', { running: 'wasm' }, null],
    ]);
    expect(states(60_000)).toEqual([
      ['session', 'ended', 'done'],
      ['task', 'completed', 'done'],
      ['turn', 'done', 'done'],
      ['tool-call', 'done', 'done'],
    ]);
  });

  test('before the first entry there is nothing', () => {
    expect(at(-1).actors.size).toBe(0);
    expect(at(-1).index).toBe(0);
  });

  test('the moment of each entry has the state that entry told of', () => {
    for (const entry of session.entries) {
      if (entry.type !== 'snap') continue;
      const { actors } = momentAt(session, defs, entry);
      expect(actors.get(entry.id)!.snap).toBe(entry.snap);
      expect(actors.get(entry.id)!.hot).toEqual(entry.tr);
    }
  });

  test('the last transition stays in view after an event that takes none', () => {
    const last = session.entries.at(-1)!;
    const more = { ...session, entries: [...session.entries] };
    more.entries.push({
      type: 'snap',
      q: 1e6,
      sys: SESSION,
      at: last.at + 1,
      id: 'session',
      snap: { s: 'done', v: 'ended' },
      by: 'noise',
      tr: [],
    });
    const actor = momentAt(more, defs, null).actors.get('session')!;
    expect(actor.hot).toEqual(['session.draining.retiring#xstate.done.actor.retire#0']);
    expect(actor.by).toBe('xstate.done.actor.retire');
  });
});

describe('live counts', () => {
  test('say how often states were entered, over all actors of a chart', () => {
    const { states: entered, edges } = at(60_000).trails.get('def-turn')!;
    expect(Object.fromEntries(entered)).toEqual({
      'turn.preparing': 6,
      'turn.inferring': 6,
      'turn.dispatching': 6,
      'turn.committing': 6,
      'turn.done': 6,
    });
    expect(edges.get('turn.dispatching#xstate.done.actor.tool-call#1')).toBe(1);
  });

  test('a transition into a parallel state enters the first state of every region', () => {
    const { states: entered } = at(2_400).trails.get('def-task')!;
    expect(Object.fromEntries(entered)).toEqual({
      'task.submitted': 1,
      'task.active.loop.turning': 1,
      'task.active.attention.working': 1,
    });
  });

  test('only the past counts', () => {
    expect(at(3_480).trails.get('def-turn')!.states.get('turn.inferring')).toBe(2);
  });

  test('an actor whose first state comes later is counted then', () => {
    const entry = { sys: 'ses_y', id: 'session', at: 1 };
    const late = new Intake();
    late.take([
      ...told.defs,
      { ...entry, type: 'actor', q: 1, name: 'session', def: 'def-session', snap: { s: 'active' } },
      { ...entry, type: 'snap', q: 2, snap: { s: 'active', v: { staging: 'validating' } }, by: 'xstate.init', tr: [] },
    ]);
    const { trails } = momentAt(late.shown.sessions.get('ses_y')!, late.shown.defs, null);
    expect(trails.get('def-session')!.states.get('session.staging.validating')).toBe(1);
  });
});

describe('what is on the stage', () => {
  const shown = (ms: number, most = 2) => staged(levelsOf(at(ms), defs), most).map(({ def }) => def.id);
  test('the session while it stages and when it is over; turn and tool calls while a task runs', () => {
    expect(shown(100)).toEqual(['session']);
    expect(shown(2_900)).toEqual(['turn']);
    expect(shown(3_480)).toEqual(['turn', 'tool-call']);
    expect(shown(3_480, 1)).toEqual(['turn']);
    expect(shown(60_000)).toEqual(['session']);
  });
});

test('the innermost states are those of activeIds that have none below', () => {
  const value = { active: { loop: 'turning', attention: 'working' } };
  const ids = activeIds('task', value);
  const innermost = ids.filter((id) => !ids.some((other) => other.startsWith(`${id}.`)));
  expect(leafIds('task', value)).toEqual(innermost);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChartLayout, renderSvg } from '../../../src/diagram/index.js';
import { focusOf, viewOf } from '../../../src/inspect/page/store/camera.js';
import { cleanLayout } from '../../../src/inspect/page/store/drawable.js';
import { Intake } from '../../../src/inspect/page/store/fold.js';
import { sequenceOf } from '../../../src/inspect/page/store/lanes.js';
import {
  actorLabel,
  clean,
  clockText,
  eventLabel,
  leafText,
  stateText,
} from '../../../src/inspect/page/store/names.js';
import { phasesOf } from '../../../src/inspect/page/store/phases.js';
import { problemsOf } from '../../../src/inspect/page/store/problems.js';
import { ended, recorded, SESSION } from './frames.js';

const told = recorded();
const intake = new Intake();
intake.take(ended(told));
const session = intake.shown.sessions.get(SESSION)!;
const drawing = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../diagrams/session.layout.json'), 'utf8'),
) as ChartLayout;

describe('names', () => {
  test.each([
    ['session', 'session'],
    ['session/task:tsk_01a2278ec3ed7031930314d501fb9288', 'task …9288'],
    ['session/task:t/turn:2', 'turn 3'],
    ['session/task:t/turn:2/tool-call:0', 'tool-call 1'],
    ['session/task:t/turn:2/infer', 'infer'],
  ])('%s is %s', (id, label) => expect(actorLabel(id)).toBe(label));

  test.each([
    ['xstate.done.actor.infer', 'infer ✓'],
    ['xstate.error.actor.tool-call', 'tool-call ✗'],
    ['xstate.after.idleTimeout.session.running', 'after idleTimeout'],
    ['xstate.init', 'init'],
    ['task.accepted', 'task.accepted'],
  ])('%s is %s', (type, label) => expect(eventLabel(type)).toBe(label));

  test('states of a parallel state are all named', () => {
    const value = { active: { loop: 'turning', attention: 'working' } };
    expect(stateText(value)).toBe('active.loop.turning ∥ active.attention.working');
    expect(leafText(value)).toBe('turning ∥ working');
    expect(stateText(undefined)).toBe('–');
  });

  test('times since the start', () => {
    expect([0, 1_240, 12_345, 125_300, 3_725_000].map(clockText)).toEqual([
      '0.000 s',
      '1.240 s',
      '12.35 s',
      '2:05.3',
      '1:02:05',
    ]);
  });

  test('no text keeps a character that hides, reorders or controls', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(clean(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });
});

describe('the sequence', () => {
  const { lanes, arrows } = sequenceOf(session.entries, new Set(['session', 'task', 'turn', 'tool-call']));
  test('has one lane per chart, however many actors ran it', () => {
    expect(lanes).toEqual(['session', 'task', 'turn', 'tool-call', 'effects']);
  });

  test('shows who started whom and who answered whom', () => {
    const turn = arrows.slice(arrows.findIndex(({ label }) => label === 'turn 2'));
    expect(turn.slice(0, 5).map(({ from, to, label, tone }) => `${from} -> ${to}: ${label} (${tone})`)).toEqual([
      'task -> turn: turn 2 (start)',
      'effects -> turn: prepare ✓ (done)',
      'effects -> turn: infer ✓ (done)',
      'turn -> tool-call: tool-call 1 (start)',
      'effects -> tool-call: admit ✓ (done)',
    ]);
  });

  test('a message without a sender comes from outside', () => {
    const entry = { type: 'ev', q: 1, sys: SESSION, at: 1, to: 'session', ev: { type: 'task.accepted' } } as const;
    const sequence = sequenceOf([entry], new Set(['session']));
    expect(sequence.lanes).toEqual(['outside', 'session']);
    expect(sequence.arrows[0]).toMatchObject({ tone: 'external' });
  });
});

describe('phases', () => {
  test('follow the root of the session', () => {
    const phases = phasesOf(session);
    expect(phases.map(({ name }) => name)).toEqual(['staging', 'running', 'draining', 'ended']);
    expect(phases[1]!.to! - phases[1]!.from).toBe(3_445);
    expect(phases[3]!.to).toBeNull();
  });
});

describe('problems', () => {
  const trace = (line: { event_type: string; [key: string]: unknown }) =>
    ({ type: 'trace', q: 1, sys: SESSION, at: 7, line }) as const;
  test('carry code and hint', () => {
    const fault = { code: 'E-RUN-040', message: 'inference loop exceeded 10 turns', hint: 'raise max_turns' };
    const info = { ...told.session, ended: { status: 'failed', at: 9, fault } };
    expect(problemsOf([], info)).toEqual([{ at: 9, level: 'error', ...fault }]);
  });

  test('told from several sides are one', () => {
    const fault = { code: 'E-RUN-040', message: 'too many' };
    const snap = {
      type: 'snap',
      q: 1,
      sys: SESSION,
      at: 5,
      id: 'session',
      snap: { s: 'active', c: { fault } },
      by: 'x',
      tr: [],
    } as const;
    expect(
      problemsOf([snap, { ...snap, q: 2, at: 6 }], { ...told.session, ended: { status: 'failed', at: 9, fault } }),
    ).toHaveLength(1);
  });

  test('refusals are apart from errors', () => {
    const entries = [
      trace({ event_type: 'tool_input_refused', tool_name: 'x', reason: 'path is missing' }),
      trace({ event_type: 'task_failed', cause: 'driver_error', reason: 'status 529' }),
      {
        type: 'note',
        q: 2,
        sys: SESSION,
        at: 8,
        note: { type: 'warning', code: '', message: 'slow', origin: 'runtime' },
      } as const,
    ];
    expect(problemsOf(entries, null).map(({ level, code, message }) => [level, code, message])).toEqual([
      ['refusal', 'tool_input_refused', 'x: path is missing'],
      ['error', 'driver_error', 'status 529'],
      ['warning', null, 'slow'],
    ]);
  });

  test('a session without any has none', () => expect(problemsOf(session.entries, told.session)).toEqual([]));
});

describe('the camera', () => {
  const size = { w: 900, h: 480 };
  test('shows the whole drawing when asked to', () => {
    const view = viewOf(drawing, size, 'fit', null, null);
    expect(view.x).toBeLessThanOrEqual(0);
    expect(view.x + view.w).toBeGreaterThanOrEqual(drawing.width);
  });

  test('following, it is near enough to read and holds what is active, for every state', () => {
    for (const { id, kind } of drawing.nodes) {
      if (kind !== 'atomic') continue;
      const focus = focusOf(drawing, [id], [], size)!;
      const view = viewOf(drawing, size, 'follow', focus, null);
      expect(size.w / view.w).toBeGreaterThanOrEqual(0.8);
      expect(focus.x).toBeGreaterThanOrEqual(view.x);
      expect(focus.x + focus.w).toBeLessThanOrEqual(view.x + view.w);
      expect(focus.y).toBeGreaterThanOrEqual(view.y);
      expect(focus.y + focus.h).toBeLessThanOrEqual(view.y + view.h);
    }
  });

  test('stays where it is while what is active is well inside', () => {
    const first = viewOf(drawing, size, 'follow', focusOf(drawing, ['session.staging.checking'], [], size), null);
    const next = viewOf(drawing, size, 'follow', focusOf(drawing, ['session.staging.compiling'], [], size), first);
    expect(next.x).toBe(first.x);
  });
});

describe('a drawing from outside', () => {
  test('of our own is unchanged', () => expect(cleanLayout(drawing)).toEqual(drawing));

  test('cannot bring markup in a number, a kind or a point', () => {
    const bad = '"><script>alert(1)</script>';
    const hostile = JSON.parse(
      JSON.stringify({
        ...drawing,
        width: bad,
        nodes: drawing.nodes.map((node) => ({ ...node, x: bad, kind: `atomic${bad}`, title: bad, id: bad })),
        edges: drawing.edges.map((line) => ({
          ...line,
          points: [
            [bad, 1],
            [2, bad],
          ],
        })),
      }),
    ) as ChartLayout;
    expect(renderSvg(cleanLayout(hostile))).not.toContain('<script');
  });
});

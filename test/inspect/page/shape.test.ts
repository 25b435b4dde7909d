import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frame } from '../../../src/inspect/frame.js';
import { callsOf } from '../../../src/inspect/page/store/calls.js';
import { Intake } from '../../../src/inspect/page/store/fold.js';
import { sequenceOf } from '../../../src/inspect/page/store/lanes.js';
import type { Model } from '../../../src/inspect/page/store/model.js';
import { momentAt } from '../../../src/inspect/page/store/moment.js';
import { phasesOf } from '../../../src/inspect/page/store/phases.js';
import { standing, summaryOf } from '../../../src/inspect/page/store/pick.js';
import { problemsOf } from '../../../src/inspect/page/store/problems.js';
import { wrongIn } from '../../../src/inspect/page/store/shape.js';
import { storyOf } from '../../../src/inspect/page/store/story.js';
import { detailOf, kindOf, partOf, whatOf, whoOf } from '../../../src/inspect/page/store/words.js';
import { ended, recorded, running, SESSION } from './frames.js';

const told = recorded();
const whole = [...ended(told), running(told.session), ...told.frames];

/** Everything the views work out, for every session. */
function readAll(model: Model): void {
  for (const session of model.sessions.values()) {
    const calls = callsOf(session.entries);
    storyOf(session.entries, calls);
    problemsOf(session.entries, session.info, model.strange);
    momentAt(session, model.defs, null);
    sequenceOf(session.entries, new Set(['session', 'task', 'turn', 'tool-call']));
    phasesOf(session);
    standing(session.info);
    for (const { input } of calls) summaryOf(input);
    for (const entry of session.entries) [kindOf(entry), whatOf(entry), whoOf(entry), detailOf(entry), partOf(entry)];
  }
}

/** Values that break what was not written with them in mind. */
const odd = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1e300, '', '__proto__', [], [null], {}, { toString: 1 }, { length: -1 }),
  fc.json().map((text) => JSON.parse(text) as unknown),
);

/** `frame` with another value, or none, at one of its places. */
const changed = fc
  .tuple(fc.constantFrom(...whole), fc.nat(), fc.option(odd, { nil: undefined, freq: 6 }))
  .map(([frame, pick, value]) => {
    const copy = JSON.parse(JSON.stringify(frame)) as Record<string, unknown>;
    const places: (readonly [Record<string, unknown>, string])[] = [];
    const visit = (inner: unknown, depth: number): void => {
      if (typeof inner !== 'object' || inner === null || depth > 4) return;
      for (const key of Object.keys(inner)) {
        places.push([inner as Record<string, unknown>, key]);
        visit((inner as Record<string, unknown>)[key], depth + 1);
      }
    };
    visit(copy, 0);
    const [host, key] = places[pick % places.length]!;
    if (value === undefined) delete host[key];
    else host[key] = value;
    return copy;
  });

describe('frames from a sender that is not our hub', () => {
  test('every frame of a real session is right', () => {
    expect(whole.map((frame) => wrongIn(frame)).filter((wrong) => wrong !== null)).toEqual([]);
  });

  test.each([
    [null, 'of a kind that this page does not know'],
    ['text', 'of a kind that this page does not know'],
    [{ type: 'constructor', q: 1, sys: 's', at: 1 }, 'of a kind that this page does not know'],
    [{ type: 'ev', q: 1, sys: 's', at: 1, to: 7, ev: { type: 'x' } }, 'ev with a wrong to'],
    [{ type: 'ev', q: 1, sys: 's', at: '1', to: 'a', ev: { type: 'x' } }, 'ev with a wrong at'],
    [{ type: 'snap', q: 1, sys: 's', at: 1, id: 'a', snap: null, by: 'x', tr: [] }, 'snap with a wrong snap.s'],
    [{ type: 'snap', q: 1, sys: 's', at: 1, id: 'a', snap: { s: 'active' }, by: 'x', tr: [1] }, 'snap with a wrong tr'],
    [
      { type: 'note', q: 1, sys: 's', at: 1, note: { type: 'turn.ended', taskId: 't', turn: 0 } },
      'note with a wrong decision',
    ],
  ])('%j is %s', (frame, wrong) => expect(wrongIn(frame)).toBe(wrong));

  test('what is wrong is left out, counted and told of; what follows is taken', () => {
    const intake = new Intake();
    const circle = { type: 'def', q: 3, key: 'k', id: 'turn', chart: { root: { id: 'turn' }, edges: 7 }, layout: null };
    intake.take([
      ...ended(told),
      { type: 'later', q: 1, sys: 'ses_new' },
      circle,
      { type: 'gone', q: 9, sys: SESSION, at: 1 },
    ]);
    const { sessions, strange } = intake.shown;
    expect([...sessions.keys()]).toEqual([SESSION]);
    expect(strange).toEqual({ count: 3, last: 'gone with a wrong id' });
    const problems = problemsOf(sessions.get(SESSION)!.entries, told.session, strange);
    expect(problems.at(-1)!.message).toBe('3 frames of the sender left out, the last was gone with a wrong id');
  });

  test('no value anywhere in a frame stops the page from reading the rest', () => {
    fc.assert(
      fc.property(fc.array(changed, { minLength: 1, maxLength: 12 }), (frames) => {
        const intake = new Intake();
        intake.take([...ended(told), ...frames]);
        readAll(intake.shown);
        expect(intake.shown.sessions.get(SESSION)!.entries.length).toBeGreaterThan(100);
      }),
      { numRuns: 250 },
    );
  });

  test('any JSON at all is taken', () => {
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 8 }), (frames) => {
        const intake = new Intake();
        intake.take(frames as Frame[]);
        readAll(intake.shown);
      }),
    );
  });
});

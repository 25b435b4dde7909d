import { describe, expect, test } from 'vitest';
import type { Frame } from '../../../src/inspect/frame.js';
import { Intake } from '../../../src/inspect/page/store/fold.js';
import type { SessionModel } from '../../../src/inspect/page/store/model.js';
import { momentAt } from '../../../src/inspect/page/store/moment.js';
import { ended, recorded, running, SESSION } from './frames.js';

const told = recorded();

function session(intake: Intake, sys = SESSION): SessionModel {
  return intake.shown.sessions.get(sys)!;
}

function take(frames: readonly Frame[], limit?: number): Intake {
  const intake = new Intake(limit);
  intake.take(frames);
  return intake;
}

/** Frames of a session that only counts: `events` events to one actor. */
function busy(events: number, sys = 'ses_busy'): Frame[] {
  const frames: Frame[] = [
    {
      type: 'actor',
      q: 1,
      sys,
      at: 0,
      id: 'session',
      name: 'session',
      def: 'def-session',
      snap: { s: 'active', v: { staging: 'validating' } },
    },
    { type: 'actor', q: 2, sys, at: 0, id: 'session/short', name: 'short', parent: 'session', snap: { s: 'active' } },
    { type: 'gone', q: 3, sys, at: 1, id: 'session/short', why: 'done' },
    {
      type: 'snap',
      q: 4,
      sys,
      at: 1,
      id: 'session',
      snap: { s: 'active', v: { running: 'opening' } },
      by: 'x',
      tr: [],
    },
  ];
  for (let index = 0; index < events; index += 1) {
    frames.push({ type: 'ev', q: 5 + index, sys, at: 2 + index, to: 'session', ev: { type: 'tick', index } });
  }
  return frames;
}

describe('frames become the model', () => {
  test('a session told live and one told from its records hold the same history', () => {
    const live = take([told.hello, ...told.defs, running(told.session), ...told.frames, told.session]);
    const past = take(ended(told));
    const plain = ({ entries }: SessionModel) => entries.map((entry) => ({ ...entry, past: undefined }));
    const chunks = (entry: { type: string; note?: { type: string } }) => !/chunk/.test(entry.note?.type ?? '');
    expect(plain(session(live))).toEqual(plain(session(past)));
    expect(session(live).entries).toHaveLength(told.frames.filter((frame) => chunks(frame as never)).length);
  });

  test('history that arrives among the present is put in its place', () => {
    const [older, newer] = [told.frames.slice(0, 100), told.frames.slice(100)];
    const mixed = take([told.hello, ...told.defs, told.session, ...newer, ...older]);
    const { entries } = session(mixed);
    expect(entries.every((entry, index) => index === 0 || entries[index - 1]!.at <= entry.at)).toBe(true);
  });

  test('a trace line or a message that arrives twice is kept once', () => {
    const twice = take([...ended(told), ...told.frames.filter(({ type }) => type === 'trace' || type === 'message')]);
    expect(session(twice).entries).toHaveLength(session(take(ended(told))).entries.length);
  });

  test('pieces of a streaming answer are shown until the message comes, and not kept', () => {
    const cut = told.frames.findIndex(({ type }, index) => type === 'trace' && index > 60);
    const intake = take([told.hello, ...told.defs, ...told.frames.slice(0, cut)]);
    const [streaming] = session(intake).streaming.values();
    expect(streaming!.text).toContain('Why did the pump stop?');
    expect(streaming!.thinking).toContain('work folder');
    intake.take(told.frames.slice(cut));
    expect(session(intake).streaming.size).toBe(0);
    expect(session(intake).entries.some((entry) => entry.type === 'note' && /chunk/.test(entry.note.type))).toBe(false);
  });

  test('frames of types this page does not know are left alone', () => {
    const intake = take([
      ...ended(told),
      { type: 'later', q: 1, sys: SESSION, at: 1 } as unknown as Frame,
      { type: 'odd', q: 1 } as unknown as Frame,
    ]);
    expect(session(intake).entries.some(({ type }) => (type as string) === 'later')).toBe(false);
  });

  test('what was heard of a session before it had an id becomes part of it', () => {
    const frames = told.frames.map((frame, index) => (index < 20 ? { ...frame, sys: 'staging' } : frame) as Frame);
    const intake = take([told.hello, ...told.defs, ...frames]);
    expect([...intake.shown.sessions.keys()]).toEqual([SESSION]);
    expect(session(intake).entries[0]!.at).toBe((told.frames[0] as { at: number }).at);
  });
});

describe('the model is bounded', () => {
  test('10,000 events of one session fit; of 100,000 the newest are kept and the actors that live', () => {
    expect(session(take(busy(10_000)), 'ses_busy').dropped).toBe(0);
    const intake = take(busy(100_000));
    const { entries, dropped, base } = session(intake, 'ses_busy');
    expect(entries.length).toBeLessThanOrEqual(20_000);
    expect(entries.length).toBeGreaterThan(15_000);
    expect(entries.length + dropped).toBe(100_004);
    expect(entries.at(-1)).toMatchObject({ ev: { index: 99_999 } });
    expect([...base.keys()]).toEqual(['session']);
    const { actors } = momentAt(session(intake, 'ses_busy'), intake.shown.defs, null);
    expect(actors.get('session')).toMatchObject({ snap: { v: { running: 'opening' } } });
  });

  test('the longest session gives way, a short one keeps its history', () => {
    const intake = take([...ended(told), ...busy(5_000)], 2_000);
    expect(session(intake).dropped).toBe(0);
    expect(intake.shown.count).toBeLessThanOrEqual(2_000);
  });

  test('the keys of dropped lines are forgotten with them', () => {
    const intake = take(ended(told));
    const keys = session(intake).keys.size;
    intake.take([]);
    const small = take([...ended(told), ...busy(1, SESSION)], 100);
    expect(session(small).keys.size).toBeLessThan(keys);
  });
});

describe('gaps and new connections', () => {
  test('what was left out is an entry of the log', () => {
    const intake = take([
      ...ended(told),
      { type: 'lost', q: 9_999, sys: SESSION, at: told.session.at + 1, ev: 12, snap: 3, other: 0 },
    ]);
    expect(session(intake).entries.at(-1)).toMatchObject({ type: 'lost', ev: 12 });
  });

  test('after a resync, an actor that was not told of again has ended', () => {
    const actor = (id: string, q: number): Frame => ({
      type: 'actor',
      q,
      sys: 'ses_x',
      at: q,
      id,
      name: id,
      snap: { s: 'active' },
    });
    const intake = take([actor('a', 1), actor('b', 2), { type: 'synced', q: 3, sys: 'ses_x', at: 3 }]);
    intake.take([
      { type: 'lost', q: 10, sys: 'ses_x', at: 10, ev: 5, snap: 5, other: 0 },
      actor('a', 11),
      { type: 'synced', q: 12, sys: 'ses_x', at: 12, again: true },
    ]);
    const { actors } = momentAt(session(intake, 'ses_x'), new Map(), null);
    expect(actors.get('a')!.gone).toBeNull();
    expect(actors.get('b')!.gone).toBe('stopped');
  });

  test('a new connection shows the old picture until the new one is complete', () => {
    const intake = take(ended(told));
    const before = session(intake);
    intake.take([told.hello, told.session, ...told.defs, ...told.frames.slice(0, 40)]);
    expect(session(intake)).toBe(before);
    intake.take([...told.frames.slice(40), { type: 'synced', q: 999, sys: SESSION, at: told.session.at }]);
    expect(session(intake)).not.toBe(before);
    expect(session(intake).entries).toHaveLength(before.entries.length);
  });
});

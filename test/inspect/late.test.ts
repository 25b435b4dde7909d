/** Clients that come late, and sessions that have done a lot: the past comes from the event log, in bounded memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { FrameBody } from '../../src/inspect/item.js';
import { followRecords } from '../../src/inspect/records/follower.js';
import { LogStream, openReplay, type ReplayStep } from '../../src/replay/index.js';
import { rehearsal, Sandbox } from '../e2e/cli.js';
import { heldFolder } from '../home/temporary.js';
import { rehearseFaithfully } from '../replay/rehearsal.js';
import { Watcher } from './wire.js';

type Line = { readonly q?: number; readonly ev?: { readonly type: string }; readonly [key: string]: unknown };

function linesOf(folder: string): Line[] {
  const text = readFileSync(join(folder, 'events.jsonl'), 'utf8').trimEnd();
  return text.split('\n').map((line) => JSON.parse(line) as Line);
}

describe('a client of a running session', () => {
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = new Sandbox();
  });
  afterEach(() => sandbox.remove());

  it('is told the place of each event in the log, and one that comes late every event it missed, once', async () => {
    const list = { call: { tool: 'mur-tool-files', input: { action: 'list' } } };
    const lifecycle = { task_acceptance: 'queue', after_task: 'sleep' };
    sandbox.manifest(rehearsal([list, { say: 'Done.' }], { lifecycle, config: { loop: true } }));
    const started = sandbox.start(['run', '--inspect', '--json', '--task', 'go']);
    const ready = JSON.parse(`{"url":${await started.line('{"url":')}`) as { url: string; session_id: string };
    const token = readFileSync(join(sandbox.home, '.murmur/running', `${ready.session_id}.inspect`), 'utf8');
    const port = Number(ready.url.split(':')[1]);
    const tasksEnded = (watcher: Watcher) =>
      watcher.of('gone').filter(({ id }) => /^session\/task:[^/]+$/.test(id)).length;
    const early = new Watcher(port, token);
    await early.until(() => tasksEnded(early) === 1);
    const late = new Watcher(port, token);
    await late.synced(ready.session_id);
    const message = { messageId: 'm1', role: 'user', parts: [{ text: 'again' }] };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } });
    await fetch(`http://${ready.url}/`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    for (const watcher of [early, late]) await watcher.until(() => tasksEnded(watcher) === 2);
    started.child.kill('SIGTERM');
    await started.ended;
    // Machines are begun by `actor`, and stopped by `gone`.
    const logged = linesOf(sandbox.records()[0]!).filter(({ ev }) => ev !== undefined);
    const told = logged.filter(({ ev }) => !/^xstate\.(?:init|stop)$/.test(ev!.type)).map(({ q }) => q!);
    // What comes after the second task may come when nobody listens any more.
    const last = logged.findLast(({ ev }) => ev!.type === 'xstate.done.actor.task')!.q! - 1;
    for (const watcher of [early, late]) {
      expect(watcher.of('lost')).toEqual([]);
      const numbers = watcher.of('ev').map(({ n }) => n!);
      expect(numbers.filter((n) => n <= last).sort((a, b) => a - b)).toEqual(told.filter((n) => n <= last));
      for (const { n, ev } of watcher.of('ev')) expect(logged[n!]!.ev!.type).toBe(ev.type);
      const charted = new Set(watcher.of('actor').flatMap(({ id, def }) => (def === undefined ? [] : [id])));
      const unplaced = watcher
        .of('snap')
        .filter(({ n, id, by }) => n === undefined && charted.has(id) && by !== 'xstate.init');
      expect(unplaced).toEqual([]);
    }
    expect(late.of('ev').some(({ past }) => past === true)).toBe(true);
    expect(late.of('ev').some(({ past }) => past === undefined)).toBe(true);
  });
});

async function past(folder: string, mostEventBytes?: number): Promise<FrameBody[]> {
  const following = followRecords(
    {
      ...{ sys: 'ses_1', redactText: (text: string) => text, recordsDir: folder, startedAt: 0, restFactor: 0 },
      ...(mostEventBytes === undefined ? {} : { mostEventBytes }),
      conversation: () => undefined,
    },
    () => undefined,
  );
  try {
    const bodies: FrameBody[] = [];
    for await (const body of following.past(false)) bodies.push(body);
    return bodies;
  } finally {
    following.stop();
  }
}

describe('the past of a session that has done a lot', () => {
  it('begins at a keyframe: who was there, and from then on the same frames', async () => {
    const records = heldFolder();
    await rehearseFaithfully(records, { tasks: 40, turns: 2 });
    const whole = await past(records.path);
    const tail = await past(records.path, 24 * 1024);
    const [note, ...rest] = tail;
    expect(note).toMatchObject({ type: 'note', past: true, note: { type: 'warning' } });
    const left = Number(/first (\d+) events/.exec(JSON.stringify(note))![1]);
    expect(left).toBeGreaterThan(500);
    const actors = rest.slice(
      0,
      rest.findIndex(({ type }) => type !== 'actor'),
    );
    expect(actors[0]).toMatchObject({ id: 'session', snap: { s: 'active', v: { running: { serving: 'working' } } } });
    const after = rest.slice(actors.length);
    expect(after.length).toBeGreaterThan(50);
    expect(after).toEqual(whole.slice(whole.length - after.length));
    expect(after.find((body) => 'n' in body)).toMatchObject({ n: left });
  });

  it('with charts of another version is a note, and none of it is told', async () => {
    const records = heldFolder();
    await rehearseFaithfully(records, { tasks: 2 });
    const stream = new LogStream();
    const [header] = linesOf(records.path);
    const changed = { ...header, chart: 'x', charts: { ...(header!.charts as object), turn: 'x' } };
    expect(() => stream.take(changed)).toThrow("another chart 'turn'");
    expect(stream.take(linesOf(records.path)[1]!)).toBeUndefined();
  });
});

test('a stream of a log tells what its replay tells, and keeps nothing of it', async () => {
  const records = heldFolder();
  await rehearseFaithfully(records, {
    tasks: 6,
    turns: 2,
    numbers: Array.from({ length: 40 }, (_, at) => (at % 7 === 0 ? 2 : 0)),
  });
  const stream = new LogStream();
  const streamed: ReplayStep[] = [];
  for (const line of linesOf(records.path)) {
    const told = stream.take(line);
    if (told?.kind === 'step') streamed.push(told.step);
  }
  expect(streamed).toEqual([...openReplay(records.path).steps()]);
});

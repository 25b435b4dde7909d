import { describe, expect, test, vi } from 'vitest';
import { createActor, fromCallback, fromPromise, SimulatedClock } from 'xstate';
import {
  type Change,
  type Listed,
  type Pruned,
  type RecordFacts,
  type RegistryContext,
  type RegistryEmitted,
  registryMachine,
  type WatchChanged,
} from '../../machines/index.js';
import { observe } from '../../src/supervise/index.js';
import { broke, done, type Fact, fold, valueText } from './table.js';

const input = { relistMs: 2_000 };
const facts = (sessionId: string, over: Partial<RecordFacts> = {}): RecordFacts => ({
  sessionId,
  capsule: 'sample',
  version: '0.1.0',
  url: 'localhost:1',
  detached: false,
  startedAt: '2026-01-01T00:00:00Z',
  workdir: '/tmp/sample',
  pid: 1,
  processStart: '1',
  ...over,
});
const listed = (...records: RecordFacts[]): Fact => done('list', { ok: true, records, at: 1 });
const said = (...changes: [string, Change['verdict']][]): Fact => ({
  type: 'liveness.changed',
  changes: changes.map(([sessionId, verdict]) => ({ sessionId, verdict, reason: `${verdict} it is`, at: 2 })),
});
const pruned = (...results: [string, Pruned['result']][]): Fact =>
  done(
    'prune',
    results.map(([sessionId, result]) => ({ sessionId, result, reason: 'no process holds pid 1', at: 3 })),
  );
const changed: Fact = { type: 'records.changed' };
const fault = { code: 'E-RUN-028', message: 'the running-capsule records could not be read: x: y' };

const at = (...list: Fact[]) => {
  const { value, context, output } = fold(registryMachine, input, list);
  const { rows, doomed, known } = context as RegistryContext;
  return {
    state: valueText(value),
    rows: rows.map(({ sessionId, status }) => `${sessionId} ${status}`),
    known: known.map(({ sessionId }) => sessionId),
    doomed: doomed.map(({ sessionId }) => sessionId),
    output,
  };
};

describe('the sessions of a machine', () => {
  test('have a row once they are verified, newest first', () => {
    expect(at(listed(facts('b'), facts('a')))).toMatchObject({ rows: [], known: ['b', 'a'] });
    expect(at(listed(facts('b'), facts('a')), said(['a', 'Live'], ['b', 'Unreachable'])).rows).toEqual([
      'b unreachable',
      'a running',
    ]);
    expect(at(listed(facts('a')), said(['a', 'Live']), said(['a', 'Unreachable'])).rows).toEqual(['a unreachable']);
  });

  test('are looked for again after a while and when the folder changes', () => {
    const after: Fact = { type: 'xstate.after.relist.registry.open.records.listed' };
    expect(at(listed()).state).toBe('open.records.listed|graves.quiet');
    for (const fact of [after, changed]) expect(at(listed(), fact).state).toBe('open.records.listing|graves.quiet');
  });

  test('are pruned for one reason only: Gone', () => {
    const two = [listed(facts('b'), facts('a')), said(['a', 'Unreachable'], ['b', 'Unreachable'])];
    expect(at(...two)).toMatchObject({ state: 'open.records.listed|graves.quiet', doomed: [] });
    expect(at(...two, said(['a', 'Gone']))).toMatchObject({
      state: 'open.records.listed|graves.pruning',
      doomed: ['a'],
      rows: ['b unreachable', 'a unreachable'],
    });
    expect(at(...two, said(['a', 'Gone']), pruned(['a', 'pruned']))).toMatchObject({
      state: 'open.records.listed|graves.quiet',
      doomed: [],
      known: ['b'],
      rows: ['b unreachable'],
    });
  });

  test('that end while others are pruned wait for the next round', () => {
    const list = [listed(facts('b'), facts('a')), said(['a', 'Gone']), said(['b', 'Gone'])];
    expect(at(...list).doomed).toEqual(['a', 'b']);
    expect(at(...list, pruned(['a', 'pruned']))).toMatchObject({
      state: 'open.records.listed|graves.pruning',
      doomed: ['b'],
    });
  });

  test('whose record another process holds by now are not removed, and are looked at anew', () => {
    expect(at(listed(facts('a')), said(['a', 'Gone']), pruned(['a', 'kept']))).toMatchObject({ known: [], doomed: [] });
    expect(at(listed(facts('a')), said(['a', 'Gone']), broke('prune', new Error('bug')))).toMatchObject({
      state: 'open.records.listed|graves.quiet',
      known: [],
    });
  });

  test('a verdict about a session nobody watches any more changes nothing', () => {
    expect(at(listed(), said(['a', 'Gone'], ['b', 'Live']))).toMatchObject({ rows: [], doomed: [] });
  });
});

describe('the registry', () => {
  test('closes when it is asked to, and with the reason when records cannot be read', () => {
    expect(at(listed(), { type: 'stop.requested' })).toMatchObject({ state: 'closed', output: { fault: null } });
    expect(at(done('list', { ok: false, fault }))).toMatchObject({ state: 'closed', output: { fault } });
    expect(at(listed(), changed, broke('list', new Error('bug'))).output.fault.message).toBe('bug');
    expect(at(broke('watchers', new Error('bug'))).output.fault.message).toBe('bug');
    expect(at({ type: 'watching.failed', fault })).toMatchObject({ state: 'closed', output: { fault } });
  });

  test('goes on without a watcher of the folder', () => {
    expect(at(listed(), broke('folder', new Error('no inotify'))).state).toBe('open.records.listed|graves.quiet');
  });
});

describe('what it tells', () => {
  /** Runs the chart over scripted effects. `look` and `say` are what the world does. */
  function start() {
    const told: WatchChanged[] = [];
    const emitted: string[] = [];
    const asked: string[][] = [];
    let records: RecordFacts[] = [];
    let say: (changes: Change[]) => void = () => undefined;
    const actor = createActor(
      registryMachine.provide({
        actors: {
          list: fromPromise<Listed, null>(async () => ({ ok: true, records, at: 1 })),
          folder: fromCallback<{ type: string }, null>(() => undefined),
          watchers: fromCallback<WatchChanged, null>(({ sendBack, receive }) => {
            say = (changes) => sendBack({ type: 'liveness.changed', changes });
            receive((event) => void told.push(event));
          }),
          prune: fromPromise<readonly Pruned[], { readonly doomed: RegistryContext['doomed'] }>(async ({ input }) => {
            asked.push(input.doomed.map(({ sessionId }) => sessionId));
            return input.doomed.map(({ sessionId, reason }) => ({ sessionId, reason, result: 'pruned', at: 3 }));
          }),
        },
      }),
      { input, clock: new SimulatedClock() },
    );
    for (const type of ['row.added', 'row.changed', 'row.removed'] as const) {
      actor.on(type, (event: RegistryEmitted) => {
        const what = event.type === 'row.removed' ? `${event.sessionId} ${event.result}` : event.row.sessionId;
        emitted.push(`${event.type} ${what}`);
      });
    }
    observe(actor, { error: (error) => expect.unreachable(String(error)) });
    actor.start();
    const settled = () =>
      vi.waitFor(() => expect(valueText(actor.getSnapshot().value)).toBe('open.records.listed|graves.quiet'), {
        timeout: 20_000,
        interval: 1,
      });
    return {
      told,
      emitted,
      asked,
      settled,
      stop: () => actor.stop(),
      look: async (...list: RecordFacts[]) => {
        records = list;
        actor.send({ type: 'records.changed' });
        await settled();
      },
      say: async (...changes: [string, Change['verdict']][]) => {
        say(changes.map(([sessionId, verdict]) => ({ sessionId, verdict, reason: 'x', at: 2 })));
        await settled();
      },
    };
  }

  test('starts a watcher per new record, and stops it when the record is gone, replaced or pruned', async () => {
    const registry = start();
    await registry.look(facts('b'), facts('a'));
    expect(registry.told).toEqual([{ type: 'watch.changed', start: ['b', 'a'], stop: [] }]);
    await registry.look(facts('b'), facts('a'));
    expect(registry.told).toHaveLength(1);
    await registry.look(facts('b', { pid: 2 }));
    expect(registry.told.at(-1)).toEqual({ type: 'watch.changed', start: ['b'], stop: ['b', 'a'] });
    await registry.say(['b', 'Live'], ['b', 'Gone']);
    expect(registry.told.at(-1)).toEqual({ type: 'watch.changed', start: [], stop: ['b'] });
    registry.stop();
  });

  test('is one event per row that comes, changes or goes', async () => {
    const registry = start();
    await registry.look(facts('b'), facts('a'));
    await registry.say(['a', 'Live'], ['b', 'Live']);
    await registry.say(['a', 'Unreachable']);
    await registry.say(['a', 'Gone'], ['a', 'Gone']);
    await registry.look();
    expect(registry.emitted).toEqual([
      'row.added a',
      'row.added b',
      'row.changed a',
      'row.removed a pruned',
      'row.removed b ended',
    ]);
    expect(registry.asked).toEqual([['a']]);
    registry.stop();
  });
});

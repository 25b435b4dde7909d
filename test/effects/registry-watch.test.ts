import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createActor } from 'xstate';
import { registryLogic } from '../../src/effects/registry-watch.js';
import type { MurmurHome } from '../../src/home/index.js';
import { systemClock } from '../../src/supervise/clock.js';
import { observe } from '../../src/supervise/index.js';
import {
  emptyHome,
  put,
  putRecord,
  record,
  sessionId,
  startProcess,
  thisProcess,
  unheldPid,
} from '../liveness/fixture.js';
import { census } from '../supervise/census.js';

/** A registry over real files and processes, and what it said. */
function start(home: MurmurHome, clock = systemClock) {
  const told: string[] = [];
  const actor = createActor(registryLogic(home, { clock, recheckMs: 200 }), { input: { relistMs: 60_000 } });
  for (const type of ['row.added', 'row.changed', 'row.removed'] as const) {
    actor.on(type, (event) => {
      told.push(
        event.type === 'row.removed'
          ? `${event.result} ${event.sessionId} ${event.reason}`
          : `${event.row.status} ${event.row.sessionId}`,
      );
    });
  }
  observe(actor, { error: (error) => told.push(String(error)) });
  actor.start();
  onTestFinished(() => void actor.stop());
  return { told, actor };
}

/** Ends by what happens; the limit is for a machine that is busy with other things. */
const waitFor = (settled: () => void) => vi.waitFor(settled, { timeout: 20_000 });

const [a, b] = [sessionId(1), sessionId(2)];
const names = (home: MurmurHome) => readdirSync(home.running);

describe('the registry of a machine', () => {
  test('prunes records of processes that are gone, keeps those it cannot reach', async () => {
    const home = emptyHome();
    putRecord(home, record({ session_id: a, pid: unheldPid }));
    putRecord(home, record({ ...thisProcess(), session_id: b }));
    const { told } = start(home);
    await waitFor(() => expect(told).toHaveLength(2));
    expect(told.sort()).toEqual([`pruned ${a} no process holds pid ${unheldPid}`, `unreachable ${b}`]);
    expect(names(home)).toEqual([`${b}.json`]);
  });

  test('notices the end of a process it did not start at once, and a new record too', async () => {
    const home = emptyHome();
    const { told } = start(home);
    const { child, ...identity } = await startProcess();
    putRecord(home, record({ ...identity, session_id: a }));
    await waitFor(() => expect(told).toEqual([`unreachable ${a}`]));
    child.kill('SIGKILL');
    await waitFor(() => expect(told.at(-1)).toBe(`pruned ${a} no process holds pid ${identity.pid}`));
    expect(told).toHaveLength(2);
    expect(names(home)).toEqual([]);
  });

  test('takes a record that went away for an ending, and one that was replaced for another process', async () => {
    const home = emptyHome();
    const { child: first, ...one } = await startProcess();
    const { child: second, ...two } = await startProcess();
    const path = putRecord(home, record({ ...one, session_id: a }));
    const { told } = start(home);
    await waitFor(() => expect(told).toEqual([`unreachable ${a}`]));
    putRecord(home, record({ ...two, session_id: a }));
    await waitFor(() => expect(told).toHaveLength(2));
    first.kill('SIGKILL');
    rmSync(path);
    await waitFor(() => expect(told.at(-1)).toBe(`ended ${a} its record was removed`));
    second.kill('SIGKILL');
    expect(told).toHaveLength(3);
  });

  test('is not moved by a wall clock that steps', async () => {
    const home = emptyHome();
    putRecord(home, record({ ...thisProcess(), session_id: a }));
    let steps = 0;
    const hour = 3_600_000;
    const clock = { ...systemClock, now: () => Date.now() + (steps++ % 2 === 0 ? hour : -hour) };
    const { told } = start(home, clock);
    await waitFor(() => expect(steps).toBeGreaterThan(20));
    expect(told).toEqual([`unreachable ${a}`]);
  });

  test('closes with the reason when the records cannot be read', async () => {
    const home = emptyHome();
    rmSync(home.running, { recursive: true });
    writeFileSync(home.running, '');
    const { actor } = start(home);
    await waitFor(() => expect(actor.getSnapshot().status).toBe('done'));
    expect(actor.getSnapshot().output?.fault).toMatchObject({ code: 'E-RUN-028' });
  });

  test('holds nothing once it is stopped: no watcher, no descriptor', async () => {
    const home = emptyHome();
    const { child, ...identity } = await startProcess();
    put(home, 'half-written.tmp', '{');
    // The loop keeps the one descriptor that all its watches of folders share, once the first is made.
    const held = () => census().descriptors.filter((target) => target !== 'anon_inode:inotify');
    const before = held();
    for (let index = 0; index < 40; index += 1)
      putRecord(home, record({ ...identity, session_id: sessionId(index + 1) }));
    const { told, actor } = start(home);
    await waitFor(() => expect(told).toHaveLength(40));
    actor.stop();
    await waitFor(() => expect(held()).toEqual(before));
    child.kill('SIGKILL');
    expect(names(home)).toContain('half-written.tmp');
  });

  test('follows a thousand records, one event each', async () => {
    const home = emptyHome();
    const { child, ...identity } = await startProcess();
    for (let index = 0; index < 1_000; index += 1) {
      const lives = index < 100;
      putRecord(home, record({ ...(lives ? identity : { pid: unheldPid }), session_id: sessionId(index + 1) }));
    }
    const { told } = start(home);
    await waitFor(() => expect(told).toHaveLength(1_000));
    expect(told.filter((text) => text.startsWith('pruned '))).toHaveLength(900);
    child.kill('SIGKILL');
    await waitFor(() => expect(names(home)).toEqual([]));
    expect(told).toHaveLength(1_100);
  }, 40_000);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import type { MurmurHome } from '../../src/home/index.js';
import { listRecords, pruneRecord, startToken, sweepRecords } from '../../src/liveness/index.js';
import {
  emptyHome,
  kernel,
  put,
  putRecord,
  record,
  sessionId,
  startProcess,
  thisProcess,
  unheldPid,
} from './fixture.js';

describe('pruning one record', () => {
  test('removes it and the token files of its session, once', () => {
    const home = emptyHome();
    putRecord(home, record());
    for (const ending of ['control', 'inspect']) put(home, `${record().session_id}.${ending}`, 'token');
    put(home, 'ses_other.control', 'token');
    expect(pruneRecord(home, record())).toBe(true);
    expect(pruneRecord(home, record())).toBe(false);
    expect(readdirSync(home.running)).toEqual(['ses_other.control']);
  });

  test.each([{ pid: 2 }, { process_start: '43' }])('leaves one that names another process by now: %j', (change) => {
    const home = emptyHome();
    putRecord(home, record(change));
    put(home, `${record().session_id}.control`, 'token');
    expect(pruneRecord(home, record())).toBe(false);
    expect(readdirSync(home.running)).toHaveLength(2);
  });

  test('leaves what is no record any more, and what is not there', () => {
    const home = emptyHome();
    put(home, `${record().session_id}.json`, '{');
    expect(pruneRecord(home, record())).toBe(false);
    expect(pruneRecord(home, record({ session_id: sessionId(9) }))).toBe(false);
    expect(readdirSync(home.running)).toHaveLength(1);
  });

  test('a session id that leads elsewhere removes nothing there', () => {
    const home = emptyHome();
    const outside = { ...record(), session_id: '../victim' };
    const victim = join(home.root, 'victim.json');
    writeFileSync(victim, JSON.stringify(outside));
    expect(pruneRecord(home, outside)).toBe(false);
    expect(pruneRecord(home, { ...outside, file: '../victim.json' })).toBe(false);
    expect(existsSync(victim)).toBe(true);
  });

  test('a renamed record is removed from where it was found, and the token files of its session stay', () => {
    const home = emptyHome();
    put(home, 'copy.json', JSON.stringify(record()));
    put(home, `${record().session_id}.control`, 'token');
    const [found] = listRecords(home).records;
    expect(pruneRecord(home, found!)).toBe(true);
    expect(readdirSync(home.running)).toEqual([`${record().session_id}.control`]);
  });
});

describe('a sweep', () => {
  test('keeps what runs, removes what is gone, and says why', async () => {
    const home = emptyHome();
    const running = await startProcess();
    const { pid, process_start } = running;
    putRecord(home, record({ session_id: sessionId(1), pid, process_start }));
    putRecord(home, record({ session_id: sessionId(2), pid: unheldPid }));
    putRecord(home, record({ session_id: sessionId(3), pid: process.pid, process_start: 'another' }));
    putRecord(home, record({ session_id: sessionId(4), ...thisProcess() }));
    const { running: kept, gone } = sweepRecords(home);
    expect(kept.map(({ record: { session_id }, state }) => [session_id, state.verdict])).toEqual([
      [sessionId(4), 'Alive'],
      [sessionId(1), 'Alive'],
    ]);
    expect(gone.map(({ record: { session_id }, reason, pruned }) => [session_id, reason, pruned])).toEqual([
      [sessionId(3), `pid ${process.pid} is held by a process that started at another time`, true],
      [sessionId(2), `no process holds pid ${unheldPid}`, true],
    ]);
    expect(gone.map(({ evidence }) => evidence.map(({ layer }) => layer))).toEqual([[1, 2], [1]]);
    expect(readdirSync(home.running)).toEqual([`${sessionId(1)}.json`, `${sessionId(4)}.json`]);
  });

  test('L39 unreadable start: Unverified, counted as running, its record still on disk', () => {
    const home = emptyHome();
    putRecord(home, record());
    const { running, gone } = sweepRecords(home, { kernel: kernel({ look: () => undefined }) });
    expect(running.map(({ state }) => state)).toEqual([
      { verdict: 'Unverified', reason: "pid 1's start time could not be read" },
    ]);
    expect(gone).toEqual([]);
    expect(readdirSync(home.running)).toEqual([`${record().session_id}.json`]);
  });

  test('after SIGKILL of a session removes its record', async () => {
    const home = emptyHome();
    const running = await startProcess();
    const path = putRecord(home, record({ pid: running.pid, process_start: running.process_start }));
    expect(sweepRecords(home).gone).toEqual([]);
    running.child.kill('SIGKILL');
    await vi.waitFor(() => expect(startToken(running.pid)).not.toBe(running.process_start), { timeout: 20_000 });
    expect(sweepRecords(home).gone).toMatchObject([{ pruned: true }]);
    expect(existsSync(path)).toBe(false);
  });
});

const built = new URL('../../dist/src/liveness/index.js', import.meta.url);

interface Reader {
  readonly ready: Promise<unknown>;
  /** The session ids it pruned. */
  readonly pruned: Promise<string[]>;
}

/** A process that waits for the file `go` and then sweeps. */
function reader(home: MurmurHome, go: string): Reader {
  const code = `
    import { existsSync } from 'node:fs';
    import { sweepRecords } from ${JSON.stringify(built.href)};
    console.log('ready');
    while (!existsSync(${JSON.stringify(go)}));
    const { gone } = sweepRecords(${JSON.stringify(home)});
    console.log(gone.filter(({ pruned }) => pruned).map(({ record }) => record.session_id).join('\\n'));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = once(child.stdout, 'readable');
  const pruned = ready.then(async () =>
    (await text(child.stdout)).split('\n').filter((line) => line.startsWith('ses_')),
  );
  return { ready, pruned };
}

test.runIf(existsSync(built))('two readers at once prune each record of a killed session exactly once', async () => {
  const home = emptyHome();
  const all = Array.from({ length: 400 }, (_, time) => sessionId(time));
  for (const session_id of all) putRecord(home, record({ session_id, pid: unheldPid }));
  const go = join(home.root, 'go');
  const readers = [reader(home, go), reader(home, go)];
  await Promise.all(readers.map(({ ready }) => ready));
  writeFileSync(go, '');
  const [one, other] = await Promise.all(readers.map(({ pruned }) => pruned));
  expect([...one!, ...other!].sort()).toEqual(all);
  expect(readdirSync(home.running)).toEqual([]);
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { screenAfter } from '../cli/terminal.js';
import { build, guests } from '../fixtures/component/guests.js';
import { rehearsal, Sandbox, type Started } from './cli.js';
import { killed, lingering, recorded, runningDir, writeRecord } from './records.js';

// Real sessions on a busy machine: every wait ends by what happens, not by this.
vi.setConfig({ testTimeout: 90_000 });

let sandbox: Sandbox;
let started: Started[];
beforeEach(() => {
  sandbox = new Sandbox();
  started = [];
});
afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended;
  }
  sandbox.remove();
});

function start(args: readonly string[]): Started {
  const one = sandbox.start(args);
  started.push(one);
  return one;
}

async function session(): Promise<Started & { readonly url: string; readonly id: string }> {
  sandbox.manifest(rehearsal([{ say: 'ok' }], { lifecycle: { task_acceptance: 'queue', after_task: 'sleep' } }));
  const one = start(['run']);
  const url = await one.line('murmur: url ');
  return { ...one, url, id: await one.line('session: ') };
}

/** A pid that was held a moment ago. */
async function deadPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid!;
}

const header = 'SESSION                               CAPSULE                   STATUS        DETACHED  UPTIME     URL';

describe('mur ps', () => {
  test('says that a machine is empty, and changes nothing about its exit status', async () => {
    expect(await sandbox.run(['ps'])).toMatchObject({ code: 0, stdout: 'no running capsules\n', stderr: '' });
    expect(await sandbox.run(['ps', '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
  });

  test('lists what runs, newest first, as a table and as JSON', async () => {
    const one = await session();
    const two = await session();
    const { code, stdout, stderr } = await sandbox.run(['ps']);
    expect([code, stderr]).toEqual([0, '']);
    const row = (id: string, url: string) =>
      new RegExp(`^${id}  sample@0\\.1\\.0 {14}running {7}(yes|no ) {5,6} ?00:00:\\d\\d   ${url}$`);
    const lines = stdout.split('\n');
    expect([lines[0], lines.length]).toEqual([header, 4]);
    expect(lines[1]).toMatch(row(two.id, two.url));
    expect(lines[2]).toMatch(row(one.id, one.url));
    const json = await sandbox.run(['ps', '--json']);
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject([
      { session_id: two.id, capsule: 'sample', version: '0.1.0', status: 'running', url: two.url },
      { session_id: one.id, uptime_s: expect.any(Number), workdir: sandbox.records()[0] },
    ]);
  });

  test('lists a session as running while a tool of it computes and never returns (reports row 51)', async () => {
    sandbox.write('project/spin/murmur.yaml', 'name: spin\nversion: "1.0.0"\nruntime: tool\n');
    sandbox.write('project/spin/spin.wasm', await build(guests.spin));
    sandbox.manifest(
      rehearsal([{ call: { tool: 'spin', input: {} } }, { say: 'ok' }], {
        artifacts: [
          { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
          { name: 'spin', source: './spin', local_source: true },
        ],
      }),
    );
    const busy = start(['run', '--task', 'Hallo']);
    const id = await busy.line('session: ');
    const log = join(sandbox.records()[0]!, 'events.jsonl');
    await busy.seen(() => readFileSync(log, 'utf8').includes('"running.wasm"'));
    const { stdout } = await sandbox.run(['ps', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ session_id: id, status: 'running' }]);
  });

  test('prunes the record of a killed session exactly once, with readers racing', async () => {
    const { child, ended, id } = await session();
    child.kill('SIGKILL');
    await ended;
    expect(recorded(sandbox)).toEqual([id]);
    const readers = await Promise.all([1, 2, 3].map(() => sandbox.run(['ps'])));
    expect(readers.map(({ code, stdout }) => [code, stdout])).toEqual(Array(3).fill([0, 'no running capsules\n']));
    expect(readers.map(({ stderr }) => stderr).join('')).toBe(`pruned: ${id} — no process holds pid ${child.pid}\n`);
    expect(recorded(sandbox)).toEqual([]);
  });

  test('keeps a session that hangs, as unreachable, and lists it as running once it goes on', async () => {
    const { child, id, url } = await session();
    child.kill('SIGSTOP');
    const { code, stdout, stderr } = await sandbox.run(['ps', '--verbose']);
    expect(code).toBe(0);
    expect(stdout).toContain('  unreachable   ');
    expect(stderr).toBe(`unreachable: ${id} — ${url} did not answer within 5 s\n`);
    expect(recorded(sandbox)).toEqual([id]);
    child.kill('SIGCONT');
    expect((await sandbox.run(['ps'])).stdout).toContain('  running       ');
  });

  test('condenses pruned records to one line, and names each with --verbose', async () => {
    const pid = await deadPid();
    const ids = [1, 2].map(() => writeRecord(sandbox, pid, { process_start: '1' }));
    expect((await sandbox.run(['ps'])).stderr).toBe(
      'pruned: 2 records of processes that are gone (mur ps --verbose names them)\n',
    );
    for (const session_id of ids) writeRecord(sandbox, pid, { process_start: '1', session_id });
    expect((await sandbox.run(['ps', '-v'])).stderr).toBe(
      [...ids]
        .reverse()
        .map((id) => `pruned: ${id} — no process holds pid ${pid}\n`)
        .join(''),
    );
  });

  test('tells a directory it cannot use from an empty machine, and removes nothing', async () => {
    mkdirSync(join(sandbox.home, '.murmur'), { recursive: true });
    writeFileSync(runningDir(sandbox), 'not a directory');
    for (const args of [['ps'], ['ps', '--json'], ['ps', '--watch'], ['stop', '@1'], ['stop', '--all'], ['token']]) {
      const { code, stdout, stderr } = await sandbox.run(args);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(
        `error[E-RUN-028]: the running-capsule records could not be read: ${runningDir(sandbox)}: `,
      );
    }
  });
});

describe('mur ps --watch', () => {
  test('prints a line per change where there is no terminal, and ends 0 on SIGINT', async () => {
    const watching = start(['ps', '--watch']);
    const one = await session();
    const two = await session();
    const found = (word: string, id: string) => () =>
      new RegExp(`^\\S+Z {2}${word} +${id} {2}sample@0\\.1\\.0`, 'm').test(watching.stdout());
    await watching.seen(found('running', one.id));
    await watching.seen(found('running', two.id));
    one.child.kill('SIGKILL');
    await watching.seen(found('pruned', one.id));
    two.child.kill('SIGTERM');
    await watching.seen(found('ended', two.id));
    watching.child.kill('SIGINT');
    const { code, signal, stdout, stderr } = await watching.ended;
    expect([code, signal, stderr]).toEqual([0, null, '']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(recorded(sandbox)).toEqual([]);
  });

  test('with --json prints one object per change', async () => {
    const child = await lingering({ ignoring: false });
    const id = writeRecord(sandbox, child.pid!);
    const watching = start(['ps', '--watch', '--json']);
    await watching.seen(() => watching.stdout().includes('"added"'));
    await killed(child);
    await watching.seen(() => watching.stdout().includes('"pruned"'));
    watching.child.kill('SIGTERM');
    const { code, stdout } = await watching.ended;
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { event: 'added', session_id: id, status: 'unreachable', reason: expect.stringContaining('ECONNREFUSED') },
      { event: 'pruned', session_id: id, reason: `no process holds pid ${child.pid}` },
    ]);
  });

  test('redraws a table on a terminal, and leaves the last one there', async () => {
    const child = await lingering({ ignoring: false });
    const id = writeRecord(sandbox, child.pid!);
    const mur = `'${process.execPath}' '${resolve('dist/src/bin/mur.js')}' ps --watch`;
    const inner = `stty cols 80 rows 24; timeout --foreground --preserve-status -s INT 4 ${mur}; echo "ended $?"`;
    const { stdout } = spawnSync('script', ['-qec', inner, '/dev/null'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: sandbox.home, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    });
    await killed(child);
    expect(stdout).toContain('1 unreachable, Ctrl-C ends');
    expect(screenAfter(stdout.replaceAll('\r\n', '\n'), 80)).toEqual([
      'SESSION                               CAPSULE     STATUS       UPTIME',
      expect.stringMatching(new RegExp(`^${id}  demo@0\\.1\\.0  unreachable  \\d+d \\d\\d:\\d\\d:\\d\\d$`)),
      'ended 0',
      '',
    ]);
  });

  test('ends when nobody reads any more', async () => {
    const child = await lingering({ ignoring: false });
    writeRecord(sandbox, child.pid!);
    const watching = start(['ps', '--watch']);
    await watching.seen(() => watching.stdout() !== '');
    watching.child.stdout!.destroy();
    await killed(child);
    expect(await watching.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('mur token', () => {
  test('prints the operator token or a named one, and says why there is none', async () => {
    const child = await lingering({ ignoring: false });
    try {
      const open = writeRecord(sandbox, child.pid!);
      expect(await sandbox.run(['token'])).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`error[E-RUN-048]: the door of ${open} is public`),
      });
      const closed = writeRecord(sandbox, child.pid!, {
        door_token: 'top',
        credentials: { reader: 'low', aide: 'mid' },
      });
      expect(await sandbox.run(['token'])).toMatchObject({ code: 0, stdout: 'top\n', stderr: '' });
      expect(await sandbox.run(['token', closed.slice(-8), '--credential', 'reader'])).toMatchObject({
        stdout: 'low\n',
      });
      const unknown = await sandbox.run(['token', '@1', '--credential', 'x']);
      expect([unknown.code, unknown.stdout]).toEqual([1, '']);
      expect(unknown.stderr).toMatch(/^error\[E-RUN-049\].*operator, aide, reader/);
      for (const args of [['ps'], ['ps', '--json']])
        expect((await sandbox.run(args)).stdout).not.toMatch(/top|low|mid/);
    } finally {
      await killed(child);
    }
  });
});

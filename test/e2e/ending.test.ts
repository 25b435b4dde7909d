/** How `mur run` ends: exit statuses (spec/cli.md 11.3, 11.5), limits, and what is left behind by an end and by a kill. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { build, guests } from '../fixtures/component/guests.js';
import { rehearsal, Sandbox, type Started } from './cli.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const answers = [{ say: 'Done.' }];
const slow = [{ say: 'a very slow answer '.repeat(400), delay_ms: 50 }];
const serves = { lifecycle: { task_acceptance: 'queue', after_task: 'sleep' } };

const below = (folder: 'running' | 'sessions', place = sandbox): string[] => {
  const path = join(place.home, '.murmur', folder);
  return existsSync(path) ? readdirSync(path).sort() : [];
};
const types = (): unknown[] => sandbox.trace().map((line) => line.event_type);

/** A client that announces a body and never sends it: the door waits for it while it closes. */
async function holdDoor(url: string): Promise<Socket> {
  const socket = connect(Number(url.split(':')[1]), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{');
  return socket;
}

async function runningTask(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Started> {
  const started = sandbox.start(['run', '--task', 'Hallo', ...args], env);
  await started.line('session: ');
  await started.seen(() => types().includes('task_start'));
  return started;
}

/** Two sessions whose teardown hangs, asked to end by a signal and by a deadline: what came of each, and how long after it was asked. */
interface Hanging {
  readonly place: Sandbox;
  readonly ended: Promise<readonly { readonly code: number | null; readonly seconds: number }[]>;
}

async function hang(): Promise<Hanging> {
  const place = new Sandbox();
  place.manifest(rehearsal(slow));
  const env = { NODE_OPTIONS: `--import ${fixture('dead-disk')}` };
  const took = async ({ ended }: Started, from: number) => {
    const { code } = await ended;
    return { code, seconds: (performance.now() - from) / 1000 };
  };
  const limited = place.start(['run', '--task', 'x', '--deadline', '3'], env);
  const limitedFrom = performance.now() + 3_000;
  const signaled = place.start(['run', '--task', 'Hallo'], env);
  await Promise.all([limited.line('session: '), signaled.line('session: ')]);
  signaled.child.kill('SIGTERM');
  return { place, ended: Promise.all([took(signaled, performance.now()), took(limited, limitedFrom)]) };
}

/** Begun before everything else, because it takes 20 s that nothing else needs to wait for. */
let hanging: Hanging;
beforeAll(async () => {
  hanging = await hang();
});
afterAll(() => hanging?.place.remove());

describe('signals', () => {
  test.each([
    ['SIGTERM', 'SIGTERM', 143],
    ['SIGINT', 'SIGINT', 130],
    ['SIGINT', 'SIGTERM', 130],
  ] as const)(
    '%s, then %s while it ends, exits at once with %i; what was written stays',
    async (first, second, code) => {
      sandbox.manifest(rehearsal(slow));
      const started = sandbox.start(['run', '--task', 'Hallo']);
      const socket = await holdDoor(await started.line('murmur: url '));
      await started.seen(() => types().includes('task_start'));
      started.child.kill(first);
      await started.seen(() => types().includes('session_end'));
      started.child.kill(second);
      expect(await started.ended).toMatchObject({ code, signal: null });
      socket.destroy();
      expect(types()).toEqual(['session_start', 'task_start', 'task_canceled', 'task_end', 'session_end']);
      expect([below('running'), below('sessions')]).toEqual([[], []]);
    },
  );

  test('two at once end it by force, and its lines are on the disk all the same', async () => {
    sandbox.manifest(rehearsal(slow));
    const started = await runningTask();
    started.child.kill('SIGTERM');
    started.child.kill('SIGINT');
    const ran = await started.ended;
    expect([130, 143]).toContain(ran.code);
    expect(types().slice(0, 2)).toEqual(['session_start', 'task_start']);
    expect([below('running'), below('sessions')]).toEqual([[], []]);
  });

  test('one ends a script capsule at once with 143, and leaves nothing of it', async () => {
    sandbox.write('project/capsule.wasm', await build(guests.capsule));
    sandbox.write('project/echo/murmur.yaml', 'name: echo\nversion: "1.0.0"\nruntime: tool\n');
    sandbox.write('project/echo/echo.wasm', await build(guests.spin));
    const artifacts = [{ name: 'echo', source: './echo', local_source: true }];
    sandbox.manifest(JSON.stringify({ name: 'script', version: '0.1.0', artifacts }));
    const started = sandbox.start(['run']);
    await started.line('session: ');
    started.child.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ code: 143, signal: null });
    expect([below('running'), below('sessions')]).toEqual([[], []]);
  });
});

describe('a thread that cannot be stopped (reports row 1)', () => {
  const start = (args: readonly string[], ...fixtures: string[]): Started => {
    const fifo = join(sandbox.root, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const preload = fixtures.map((name) => `--import ${fixture(name)}`).join(' ');
    return sandbox.start(['run', '--task', 'Hallo', ...args], { NODE_OPTIONS: preload, TEST_FIFO: fifo });
  };
  const crash = [{ crash: true }];

  test.each([
    ['a worker', 'blocked-thread'],
    ['a thread of the pool', 'blocked-pool'],
  ])('keeps neither the process nor its exit status: %s', async (_, name) => {
    sandbox.manifest(rehearsal(answers));
    expect(await start([], name).ended).toMatchObject({ code: 0, signal: null, stdout: expect.stringContaining('ok') });
    sandbox.remove();
    sandbox = new Sandbox();
    sandbox.manifest(rehearsal(crash));
    expect(await start([], name).ended).toMatchObject({ code: 1, signal: null });
    expect(types().at(-1)).toBe('session_end');
    expect([below('running'), below('sessions')]).toEqual([[], []]);
  });

  test('nor a forced end', async () => {
    sandbox.manifest(rehearsal(slow));
    const started = start([], 'blocked-thread');
    const socket = await holdDoor(await started.line('murmur: url '));
    started.child.kill('SIGTERM');
    await started.seen(() => types().includes('session_end'));
    started.child.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ code: 143, signal: null });
    socket.destroy();
    expect([below('running'), below('sessions')]).toEqual([[], []]);
  });

  test('without koffi an end is a kill that says what it was', async () => {
    sandbox.manifest(rehearsal(answers));
    const ran = await start([], 'blocked-thread', 'no-koffi').ended;
    expect(ran).toMatchObject({ code: null, signal: 'SIGKILL', stdout: expect.stringContaining('status:  ok') });
    expect(ran.stderr).toContain('the exit status would be 0');
  });

  test.each(['SIGTERM', 'SIGHUP'] as const)('without koffi a forced end is the signal itself: %s', async (signal) => {
    sandbox.manifest(rehearsal(slow));
    const started = start([], 'blocked-thread', 'no-koffi');
    const socket = await holdDoor(await started.line('murmur: url '));
    started.child.kill(signal);
    await started.seen(() => types().includes('session_end'));
    started.child.kill(signal);
    expect(await started.ended).toMatchObject({ code: null, signal });
    socket.destroy();
    expect([below('running'), below('sessions')]).toEqual([[], []]);
  });
});

describe('an error that nobody caught (reports rows 26 and 32)', () => {
  test.each(['throw', 'reject'])('%s: the session ends in order, and the error is told and logged', async (how) => {
    sandbox.manifest(rehearsal(slow));
    const env = { NODE_OPTIONS: `--import ${fixture('uncaught')}`, TEST_UNCAUGHT: how };
    const ran = await sandbox.start(['run', '--task', 'Hallo'], env).ended;
    expect(ran).toMatchObject({ code: 1, signal: null, stdout: expect.stringContaining('status:  ') });
    expect(ran.stderr).toContain('E-RUN-007');
    expect(ran.stderr).toContain('nobody catches this');
    expect(types().at(-1)).toBe('session_end');
    const log = readFileSync(join(sandbox.records()[0]!, 'logs/bootstrap.log'), 'utf8');
    expect(log).toMatch(/"session":"ses_.*uncaught\.mjs.*an error nobody caught: nobody catches this/);
    expect([below('running'), below('sessions')]).toEqual([[], []]);
  });
});

describe('what killed runs leave', () => {
  test('is removed by the next run, whenever the kill came, and nothing of a running session is', {
    timeout: 120_000,
  }, async () => {
    sandbox.manifest(rehearsal(answers, serves));
    const living = sandbox.start(['run']);
    const session = await living.line('session: ');
    await living.seen(() => below('running').length === 1);
    sandbox.manifest(rehearsal([{ call: { tool: 'mur-tool-files', input: { action: 'list' } } }, ...slow]));
    const points: readonly ((seen: () => unknown[]) => boolean)[] = [
      () => below('sessions').length > 1,
      () => below('running').length > 1,
      (seen) => seen().includes('session_start'),
      (seen) => seen().includes('task_start'),
      (seen) => seen().includes('inference'),
      (seen) => seen().includes('tool_call'),
    ];
    for (const reached of points) {
      const known = sandbox.records().length;
      const killed = sandbox.start(['run', '--task', 'Hallo']);
      await killed.seen(() => reached(() => (sandbox.records().length > known ? types() : [])));
      killed.child.kill('SIGKILL');
      await killed.ended;
      // A half-made file of the process that was just killed, where a kill between two system calls would leave it.
      const half = `.mur-${killed.child.pid}-1-${'0'.repeat(16)}.tmp`;
      for (const folder of ['running', 'compiled', 'sessions']) {
        const path = join(sandbox.home, '.murmur', folder);
        mkdirSync(path, { recursive: true });
        writeFileSync(join(path, half), '{');
      }
    }
    expect(below('sessions').length).toBeGreaterThan(2);

    sandbox.manifest(rehearsal(answers));
    expect((await sandbox.run(['run', '--task', 'Hallo'])).code).toBe(0);
    expect(below('sessions')).toEqual([session]);
    expect(below('running')).toEqual([`${session}.json`]);
    const files = execFileSync('find', [join(sandbox.home, '.murmur'), '-name', '*.tmp'], { encoding: 'utf8' });
    expect(files).toBe('');
    living.child.kill('SIGTERM');
    expect(await living.ended).toMatchObject({ code: 0 });
    expect([below('running'), below('sessions')]).toEqual([[], []]);
  });
});

describe('trace.retain', () => {
  test('keeps so many sessions, the running one counted, and never removes one that runs', {
    timeout: 60_000,
  }, async () => {
    const retain = (limits: object) => rehearsal(answers, { ...serves, trace: { retain: limits } });
    sandbox.manifest(retain({ max_sessions: 2 }));
    const living = sandbox.start(['run']);
    const session = await living.line('session: ');
    await living.seen(() => below('running').length === 1);
    const ids = () => sandbox.records().map((path) => path.slice(-36));
    sandbox.manifest(rehearsal(answers, { trace: { retain: { max_sessions: 2 } } }));
    for (let round = 0; round < 3; round += 1) expect((await sandbox.run(['run', '--task', 'x'])).code).toBe(0);
    const newest = ids().at(-1);
    // The living one is beyond the limit and stays; of the others only the running one was within it.
    expect(ids()).toEqual([session, ids()[1], newest]);
    expect(sandbox.trace().find((line) => line.event_type === 'retention')).toMatchObject({
      reason: 'max_sessions',
      removed: 1,
    });
    expect(readdirSync(join(sandbox.project, 'workdir')).sort()).toEqual(ids());
    living.child.kill('SIGTERM');
    await living.ended;
    expect((await sandbox.run(['run', '--task', 'x'])).code).toBe(0);
    expect(ids()).toEqual([newest, ids()[1]]);
  });

  test('removes what is older than max_age by the time inside its id', async () => {
    sandbox.manifest(rehearsal(answers, { trace: { retain: { max_age: '1d' } } }));
    expect((await sandbox.run(['run', '--task', 'x'])).code).toBe(0);
    const recent = sandbox.records()[0]!;
    const old = join(recent, '..', `ses_${'0'.repeat(11)}17${'0'.repeat(19)}`);
    mkdirSync(old);
    writeFileSync(join(old, 'trace.jsonl'), '');
    expect((await sandbox.run(['run', '--task', 'x'])).code).toBe(0);
    expect(existsSync(old)).toBe(false);
    expect(existsSync(recent)).toBe(true);
  });
});

describe('a teardown that hangs', () => {
  test('is left after 20 s, with 143, whether a signal or the deadline asked for it', async () => {
    const { place, ended } = hanging;
    for (const { code, seconds } of await ended) {
      expect(code).toBe(143);
      expect(seconds).toBeGreaterThan(17);
      expect(seconds).toBeLessThan(40);
    }
    for (const lines of place.records()) expect(statSync(join(lines, 'trace.jsonl')).size).toBeGreaterThan(0);
    expect([below('running', place), below('sessions', place)]).toEqual([[], []]);
  });
});

function fixture(name: string): string {
  return join(import.meta.dirname, `../fixtures/ending/${name}.mjs`);
}

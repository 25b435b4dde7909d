import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { rehearsal, Sandbox, type Started } from './cli.js';
import { isRunning, killed, lingering, recorded, writeRecord } from './records.js';

// Real sessions on a busy machine: every wait ends by what happens, not by this.
vi.setConfig({ testTimeout: 90_000 });

let sandbox: Sandbox;
let sessions: Started[];
let children: ChildProcess[];
beforeEach(() => {
  sandbox = new Sandbox();
  sessions = [];
  children = [];
});
afterEach(async () => {
  for (const child of children) await killed(child);
  for (const { child, ended } of sessions) {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended;
  }
  sandbox.remove();
});

const serving = { lifecycle: { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 4 } };
const slow = [{ say: 'word '.repeat(400), delay_ms: 50 }];

async function session(turns: readonly unknown[] = [{ say: 'ok' }], env: Record<string, string> = {}) {
  sandbox.manifest(rehearsal(turns, serving));
  const started = sandbox.start(['run'], env);
  sessions.push(started);
  const url = await started.line('murmur: url ');
  return { ...started, url, id: await started.line('session: ') };
}

async function linger(ignoring: boolean): Promise<ChildProcess> {
  const child = await lingering({ ignoring });
  children.push(child);
  return child;
}

async function send(url: string, text: string): Promise<string> {
  const message = { messageId: 'm1', role: 'user', parts: [{ text }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } });
  const response = await fetch(`http://${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return ((await response.json()) as { result: { id: string } }).result.id;
}

const gone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

describe('mur stop', () => {
  test('ends an idle session and returns once its process and its record are gone', async () => {
    const { child, id, ended } = await session();
    const stopped = await sandbox.run(['stop', '@1']);
    expect(gone(child.pid!) || (await ended).code === 0).toBe(true);
    expect(stopped).toMatchObject({
      code: 0,
      stdout: [
        `stopped: ${id}`,
        'capsule: sample@0.1.0',
        'signal:  SIGTERM',
        'residue: nothing else was left running',
        '',
      ].join('\n'),
      stderr: '',
    });
    expect(recorded(sandbox)).toEqual([]);
    expect((await ended).stdout).toContain('status:  ok');
  });

  test('cancels what runs and what waits, and says so once the trace does', async () => {
    const { url, id, started } = { ...(await session(slow)), started: sessions[0]! };
    const [one, two] = [await send(url, 'one'), await send(url, 'two')];
    await started.seen(() => sandbox.trace().some((line) => line.event_type === 'task_start'));
    const stopped = await sandbox.run(['stop', id.slice(-8)]);
    expect(stopped).toMatchObject({ code: 0, stderr: '' });
    expect(stopped.stdout.split('\n')).toEqual([
      `stopped: ${id}`,
      'capsule: sample@0.1.0',
      'signal:  SIGTERM',
      `canceled: ${one}`,
      `canceled: ${two}`,
      'residue: nothing else was left running',
      '',
    ]);
    const endings = sandbox.trace().filter((line) => /^task_(end|canceled)$/.test(String(line.event_type)));
    expect(endings.map((line) => [line.task_id, line.event_type])).toEqual([
      [two, 'task_canceled'],
      [one, 'task_canceled'],
      [one, 'task_end'],
    ]);
  });

  test('kills a process that ignores SIGTERM, at the limit and not before', async () => {
    const child = await linger(true);
    const id = writeRecord(sandbox, child.pid!);
    const exited = once(child, 'exit');
    const before = performance.now();
    const stopped = await sandbox.run(['stop', id, '--timeout', '1', '--verbose']);
    expect(performance.now() - before).toBeGreaterThan(1_000);
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(stopped).toMatchObject({ code: 0, stderr: '' });
    expect(stopped.stdout).toMatch(
      new RegExp(
        `^stopped: ${id}\ncapsule: demo@0\\.1\\.0\nsignal: {2}SIGKILL\nvia: {5}(pidfd|kill)\nresidue: unknown — the capsule could not be asked: connect ECONNREFUSED 127\\.0\\.0\\.1:1\n$`,
      ),
    );
    expect(recorded(sandbox)).toEqual([]);
  });

  test('with a timeout of 0 looks once and kills', async () => {
    const child = await linger(true);
    const stopped = await sandbox.run(['stop', writeRecord(sandbox, child.pid!), '--timeout', '0']);
    expect(stopped.stdout).toContain('signal:  SIGKILL\n');
  });

  test('ends a session that hangs', async () => {
    const { child, ended } = await session();
    child.kill('SIGSTOP');
    const stopped = await sandbox.run(['stop', '@1', '--timeout', '1', '--json']);
    expect((await ended).signal).toBe('SIGKILL');
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      status: 'stopped',
      signal: 'SIGKILL',
      canceled: [],
      residue: null,
      unasked: expect.stringContaining('did not answer within 5 s'),
    });
    expect(recorded(sandbox)).toEqual([]);
  });

  test('asks nobody else: a door that answers for another session keeps its tasks', async () => {
    const { url, id, child: other } = await session(slow);
    const task = await send(url, 'one');
    const child = await linger(false);
    const stopped = await sandbox.run(['stop', writeRecord(sandbox, child.pid!, { url })]);
    expect(stopped.stdout).toContain(`could not be asked: the capsule at ${url} answers for session ${id}\n`);
    expect(isRunning(other)).toBe(true);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: task } });
    const answer = await fetch(`http://${url}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(((await answer.json()) as { result: { status: { state: string } } }).result.status.state).not.toBe(
      'canceled',
    );
  });

  test('never signals the process that has the pid now', async () => {
    const child = await linger(false);
    const id = writeRecord(sandbox, child.pid!, { process_start: '1' });
    expect(await sandbox.run(['stop', id, '--timeout', '0'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        `error[E-RUN-022]: ${id} is not running: pid ${child.pid} is held by a process that started at another time\n`,
      ),
    });
    expect(isRunning(child)).toBe(true);
    expect(recorded(sandbox)).toEqual([]);
  });

  test('--all ends every session at once, one block each, newest first', async () => {
    const [polite, stubborn] = [await linger(false), await linger(true)];
    const ids = [writeRecord(sandbox, polite.pid!), writeRecord(sandbox, stubborn.pid!)];
    const stopped = await sandbox.run(['stop', '--all', '--timeout', '1']);
    expect(stopped.code).toBe(0);
    const blocks = stopped.stdout.trimEnd().split('\n\n');
    expect(blocks.map((block) => block.split('\n').slice(0, 3))).toEqual([
      [`stopped: ${ids[1]}`, 'capsule: demo@0.1.0', 'signal:  SIGKILL'],
      [`stopped: ${ids[0]}`, 'capsule: demo@0.1.0', 'signal:  SIGTERM'],
    ]);
    expect(await sandbox.run(['stop', '--all'])).toMatchObject({ code: 0, stdout: 'no running capsules\n' });
  });
});

describe('addresses of mur stop', () => {
  test.each([
    ['a/b', "'a/b' is not a session address"],
    ['localhost:80', "'localhost:80' is not a session address"],
    ['trace.jsonl', "'trace.jsonl' is not a session address"],
    ['@x', "invalid ordinal '@x' — expected @1, @2, ..."],
    ['@0', 'ordinal must be @1 or higher'],
    ['abc', "'abc' is too short to name a session"],
    ['@1', 'no capsule is running on this machine'],
    ['abcd', 'no capsule is running on this machine'],
  ])('%s on an empty machine: %s', async (address, message) => {
    const { code, stdout, stderr } = await sandbox.run(['stop', address]);
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([1, '', `error[E-RUN-022]: ${message}`]);
  });

  test('that fit several sessions, or none of those that run, name them; @N counts the newest first', async () => {
    const child = await linger(false);
    const ids = ['1', '2'].map((digit) =>
      writeRecord(sandbox, child.pid!, { session_id: `ses_${digit.repeat(28)}beef` }),
    );
    expect((await sandbox.run(['stop', 'BEEF'])).stderr).toContain(
      `error[E-RUN-022]: 'BEEF' matches 2 running sessions — provide more characters\n  ${ids[1]}\n  ${ids[0]}\n`,
    );
    expect((await sandbox.run(['stop', '@3'])).stderr).toContain(
      `error[E-RUN-022]: @3 names no running session — 2 running: ${ids[1]}, ${ids[0]}\n`,
    );
    expect((await sandbox.run(['stop', '@2'])).stdout).toContain(`stopped: ${ids[0]}\n`);
  });
});

describe('a wall clock that steps an hour either way', () => {
  test('changes nothing: sessions are listed, stopped, and killed at the limit', async () => {
    const stepping = sandbox.write(
      'stepping.mjs',
      `const now = Date.now; const hour = 3_600_000; let steps = [0, hour, -hour];
       Date.now = () => { steps = [...steps.slice(1), steps[0]]; return now() + steps[0]; };`,
    );
    const env = { NODE_OPTIONS: `--import ${stepping}` };
    await session([{ say: 'ok' }], env);
    expect((await sandbox.run(['ps'], env)).stdout).toContain('  running       ');
    expect(await sandbox.run(['stop', '@1'], env)).toMatchObject({ code: 0, stderr: '' });
    const child = await linger(true);
    writeRecord(sandbox, child.pid!);
    const before = performance.now();
    const stopped = await sandbox.run(['stop', '@1', '--timeout', '1'], env);
    const took = performance.now() - before;
    expect(stopped.stdout).toContain('signal:  SIGKILL\n');
    expect(took).toBeGreaterThan(1_000);
    expect(took).toBeLessThan(60_000);
  });
});

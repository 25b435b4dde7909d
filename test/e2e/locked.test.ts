import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rehearsal, Sandbox } from './cli.js';

// A real session on a busy machine: every wait ends by what happens, not by this.
vi.setConfig({ testTimeout: 90_000 });

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const locked = {
  lifecycle: { task_acceptance: 'queue', after_task: 'sleep' },
  network: { authentication: { scheme: 'bearer', credentials: { reader: { scopes: ['tasks/get'] } } } },
};

interface Answer {
  readonly result: { readonly id: string; readonly status: { readonly state: string } };
}

async function call(url: string, method: string, params: object, token?: string) {
  const response = await fetch(`http://${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

const message = (text: string): object => ({ message: { messageId: 'm1', role: 'user', parts: [{ text }] } });

test('a session with a locked door: tokens in its record and nowhere else, mur token prints them, the door wants them', async () => {
  sandbox.manifest(rehearsal([{ say: 'ok' }], locked));
  const started = sandbox.start(['run', '--bind', '0.0.0.0']);
  const url = await started.line('murmur: url ');
  const id = await started.line('session: ');
  expect(started.stdout()).toContain(`murmur: auth bearer (mur token ${id})\n`);

  const running = join(sandbox.home, '.murmur', 'running');
  const record = JSON.parse(readFileSync(join(running, `${id}.json`), 'utf8'));
  const operator = (await sandbox.run(['token'])).stdout;
  const reader = (await sandbox.run(['token', id, '--credential', 'reader'])).stdout;
  expect([operator, reader]).toEqual([`${record.door_token}\n`, `${record.credentials.reader}\n`]);
  const unknown = await sandbox.run(['token', '--credential', 'root']);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toMatch(/error\[E-RUN-049\].*operator, reader/);

  expect((await call(url, 'message/send', message('x'))).status).toBe(401);
  expect((await call(url, 'message/send', message('x'), reader.trim())).status).toBe(403);
  // What the sender says is written down; what it says of a token is not.
  const sent = await call(url, 'message/send', message(`my token is ${operator.trim()}`), operator.trim());
  expect(sent.status).toBe(200);
  const { result } = sent.body;
  await started.seen(() => sandbox.trace().some((line) => line.event_type === 'task_end'));
  const read = await call(url, 'tasks/get', { id: result.id }, reader.trim());
  expect(read.body.result.status.state).toBe('completed');

  // What mur itself asks such a door, it asks with the token of the record.
  const rows = JSON.parse((await sandbox.run(['ps', '--json'])).stdout.split('\n', 1)[0]!);
  expect(JSON.stringify(rows)).toContain('running');
  expect(await sandbox.run(['send', '@1', 'hello', '--wait'])).toMatchObject({ code: 0, stdout: 'ok\n' });
  const stopped = await sandbox.run(['stop', '@1']);
  expect(stopped.stdout).toContain('residue: nothing else was left running');

  const ended = await started.ended;
  expect(ended.code).toBe(0);
  expect(ended.stderr).not.toContain('W-SEC-032');
  expect(readdirSync(running)).toEqual([]);
  for (const token of [operator.trim(), reader.trim()]) {
    expect(ended.stdout + ended.stderr).not.toContain(token);
    expect(filesWith(join(sandbox.home, '.murmur', 'records'), token)).toEqual([]);
    expect(filesWith(sandbox.project, token)).toEqual([]);
  }
});

test('mur token on a public door is E-RUN-048', async () => {
  sandbox.manifest(rehearsal([{ say: 'ok' }], { lifecycle: locked.lifecycle }));
  const started = sandbox.start(['run']);
  await started.line('session: ');
  expect((await sandbox.run(['token'])).stderr).toContain('error[E-RUN-048]');
  started.child.kill('SIGTERM');
  await started.ended;
});

/** Files below `folder` that hold `text`. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, 'latin1').includes(text));
}

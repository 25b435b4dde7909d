import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rehearsal, Sandbox } from './cli.js';

// Real sessions on a busy machine: every wait ends by what happens, not by this.
vi.setConfig({ testTimeout: 90_000 });

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const serving = { lifecycle: { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 1 } };

test('mur watch shows a session to its end, and mur send --stream one task of it, for people and for programs', async () => {
  sandbox.manifest(rehearsal([{ say: 'one two' }], serving));
  const started = sandbox.start(['run']);
  const id = await started.line('session: ');
  const watching = sandbox.start(['watch']);

  const streamed = await sandbox.run(['send', '@1', 'hello', '--stream']);
  expect(streamed).toMatchObject({ code: 0, stderr: '' });
  expect(streamed.stdout).toContain('[working]  inference turn 1\n');
  expect(streamed.stdout).toContain('  one two\n');
  expect(streamed.stdout).toMatch(/\[completed\]\n$/);

  const lines = (await sandbox.run(['send', '@1', 'again', '--stream', '--json'])).stdout.trimEnd().split('\n');
  const frames = lines.map((line) => JSON.parse(line));
  expect(new Set(frames.map((frame) => frame.data.id)).size).toBe(1);
  expect(frames.at(-1)).toMatchObject({ event: 'status', data: { final: true, status: { state: 'completed' } } });
  const ids = frames.map((frame) => frame.id);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));

  await watching.seen(() => watching.stdout().split('[completed]').length > 2);
  started.child.kill('SIGTERM');
  await started.ended;
  const watched = await watching.ended;
  expect(watched.code).toBe(0);
  expect(watched.stderr).toBe(`watching ${id} (sample@0.1.0); Ctrl-C ends only the watch\n`);
});

test('a signal ends the watch with 0 and leaves the session alone; a killed session ends it with the last event', async () => {
  sandbox.manifest(rehearsal([{ say: 'ok' }], serving));
  const started = sandbox.start(['run']);
  const url = await started.line('murmur: url ');
  expect((await sandbox.run(['send', '@1', 'hello', '--wait'])).code).toBe(0);
  const watching = sandbox.start(['watch', '--url', url]);
  await watching.seen(() => watching.stdout().includes('[completed]'));
  watching.child.kill('SIGINT');
  expect((await watching.ended).code).toBe(0);

  const second = sandbox.start(['watch', '--url', url, '--json']);
  await second.seen(() => second.stdout().includes('"final":true,') || second.stdout().includes('"completed"'));
  started.child.kill('SIGKILL');
  await started.ended;
  const lost = await second.ended;
  expect(lost.code).toBe(1);
  expect(lost.stderr).toMatch(/error\[E-IO-003\]: the connection to the session was lost after event [1-9]\d*: /);
});

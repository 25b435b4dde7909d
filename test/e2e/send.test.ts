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

test('mur send and mur cancel: taken, waited for, refused, canceled, by session and by address, for people and for programs', async () => {
  sandbox.manifest(rehearsal([{ say: 'word '.repeat(60), delay_ms: 20 }], serving));
  const started = sandbox.start(['run']);
  const url = await started.line('murmur: url ');

  const waited = await sandbox.run(['send', '@1', 'hello', '--wait']);
  expect(waited).toMatchObject({ code: 0, stdout: `${'word '.repeat(60).trimEnd()}\n`, stderr: '' });

  const first = await sandbox.run(['send', '@1', 'again', '--context', 'ctx_mine', '--json']);
  expect(first.code).toBe(0);
  const task = JSON.parse(first.stdout);
  expect(task).toMatchObject({ context_id: 'ctx_mine', state: 'submitted', residue: [] });

  const canceled = await sandbox.run(['cancel', '@1', task.task_id]);
  expect(canceled).toMatchObject({ code: 0, stderr: '' });
  expect(canceled.stdout).toMatch(new RegExp(`^task:    ${task.task_id}\nstate:   (canceled|completed)\n`));
  const again = await sandbox.run(['cancel', '--url', url, task.task_id, '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({
    task_id: task.task_id,
    state: /state: {3}(\w+)/.exec(canceled.stdout)![1],
  });

  const unknown = await sandbox.run(['cancel', '@1', 'tsk_none']);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toMatch(
    /error\[E-IO-003\]: the door at .* answered with an error: Task not found\n.*hint: .*mur watch/,
  );
  const noSession = await sandbox.run(['cancel', 'tsk_none']);
  expect(noSession).toMatchObject({ code: 2, stdout: '' });
  expect(noSession.stderr).toContain('mur cancel @1 tsk_none');
  const blank = await sandbox.run(['send', '@1', '-', '--json'], {}, ' \n');
  expect(blank).toMatchObject({ code: 1, stdout: '' });
  expect(blank.stderr).toContain('the message is blank');

  started.child.kill('SIGTERM');
  await started.ended;
  expect((await sandbox.run(['send', '@1', 'x'])).stderr).toContain('error[E-RUN-022]');
  expect((await sandbox.run(['send', '--url', url, 'x'])).stderr).toMatch(
    /error\[E-IO-003\]: the door at .* did not answer.*\n.*hint: mur ps/,
  );
  expect((await sandbox.run(['send', '--url', 'https://x:1', 'x'])).stderr).toContain('--url must be <host:port>');
});

test('a locked door takes MURMUR_DOOR_TOKEN with --url, and says so where it is missing', async () => {
  sandbox.manifest(
    rehearsal([{ say: 'I heard {{task}}' }], { ...serving, network: { authentication: { scheme: 'bearer' } } }),
  );
  const started = sandbox.start(['run']);
  const url = await started.line('murmur: url ');
  await started.line('session: ');
  const token = (await sandbox.run(['token'])).stdout.trim();

  const refused = await sandbox.run(['send', '--url', url, 'hello']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/error\[E-IO-003\]: .* status 401: .*\n.*MURMUR_DOOR_TOKEN/);
  const wrong = await sandbox.run(['send', '--url', url, 'hello'], { MURMUR_DOOR_TOKEN: 'bad\r\ntoken' });
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).not.toContain('bad');
  const sent = await sandbox.run(['send', '--url', url, 'hello', '--wait'], { MURMUR_DOOR_TOKEN: token });
  expect(sent.code).toBe(0);
  expect(sent.stdout).toContain('hello');

  const piped = await sandbox.run(['send', '@1', '-', '--wait'], {}, 'two\nlines\n');
  expect(piped.stdout).toContain('I heard two\nlines\n');
  const told = await sandbox.run(['send', '@1', '-', '--context', 'ctx_mine'], {}, 'more');
  expect(told.stdout).toMatch(/^task: {4}tsk_\w{32}\nstate: {3}submitted\ncontext: ctx_mine\n$/);

  started.child.kill('SIGTERM');
  await started.ended;
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { build, guests } from '../fixtures/component/guests.js';
import { rehearsal, Sandbox } from './cli.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

interface Task {
  readonly id: string;
  readonly status: {
    readonly state: string;
    readonly message?: { readonly parts: readonly { readonly text: string }[] };
  };
  readonly artifacts?: readonly { readonly name: string; readonly parts: readonly { readonly text: string }[] }[];
}

async function rpc(url: string, method: string, params: object): Promise<Task> {
  const response = await fetch(`http://${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const body = (await response.json()) as { result?: Task; error?: { code: number; message: string } };
  if (body.result === undefined) throw new Error(`${body.error?.code}: ${body.error?.message}`);
  return body.result;
}

const message = (text: string): object => ({ message: { messageId: 'm1', role: 'user', parts: [{ text }] } });

async function until(url: string, id: string, state: string): Promise<Task> {
  for (;;) {
    const task = await rpc(url, 'tasks/get', { id });
    if (task.status.state === state) return task;
    await new Promise((done) => setTimeout(done, 20));
  }
}

const textOf = (task: Task, name: string): string | undefined =>
  task.artifacts?.find((one) => one.name === name)?.parts[0]?.text;

describe('a session with an open door', () => {
  test('says who it is on /health and on its card, and warns once when others can reach it', async () => {
    sandbox.manifest(rehearsal([{ say: 'ok' }], { lifecycle: { task_acceptance: 'queue', after_task: 'sleep' } }));
    const started = sandbox.start(['run', '--bind', '0.0.0.0']);
    const url = await started.line('murmur: url ');
    const id = await started.line('session: ');
    expect(await (await fetch(`http://${url}/health`)).json()).toEqual({ status: 'ok', session_id: id });
    const card = (await (await fetch(`http://${url}/.well-known/agent-card.json`)).json()) as Record<string, unknown>;
    expect(card).toMatchObject({ session_id: id, name: 'sample', url: `http://${url}`, protocolVersion: '0.3.0' });
    expect(await (await fetch(`http://${url}/tasks`)).json()).toMatchObject({ tasks: [], totalSize: 0 });
    started.child.kill('SIGTERM');
    const ended = await started.ended;
    expect(ended.code).toBe(0);
    expect(ended.stderr.match(/W-SEC-032/g)).toHaveLength(1);
  });

  test('single takes one task, rejects the second, answers while it works, and ends after it', async () => {
    sandbox.manifest(rehearsal([{ say: 'slow '.repeat(40), delay_ms: 40 }]));
    const started = sandbox.start(['run']);
    const url = await started.line('murmur: url ');
    const first = await rpc(url, 'message/send', message('one'));
    expect(first.status.state).toBe('submitted');
    const second = await rpc(url, 'message/send', message('two'));
    expect(second.status.state).toBe('rejected');
    await until(url, first.id, 'working');
    const ran = await started.ended;
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('status:  ok') });
    expect(ran.stderr).not.toContain('W-SEC-032');
    expect(sandbox.trace().map((line) => line.event_type)).toEqual([
      'session_start',
      'a2a_task_received',
      'task_start',
      'inference',
      'task_end',
      'session_end',
    ]);
  });

  test('none answers every message with -32601', async () => {
    sandbox.manifest(
      rehearsal([{ say: 'slow '.repeat(80), delay_ms: 40 }], { lifecycle: { task_acceptance: 'none' } }),
    );
    const started = sandbox.start(['run', '--task', 'own']);
    const url = await started.line('murmur: url ');
    await expect(rpc(url, 'message/send', message('one'))).rejects.toThrow('-32601');
    started.child.kill('SIGTERM');
    await started.ended;
  });

  test('queue runs tasks in order, cancels one of them, and a failed one does not end the session', async () => {
    const turns = [{ say: 'word '.repeat(30), delay_ms: 30 }];
    const lifecycle = { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 3 };
    sandbox.manifest(rehearsal(turns, { lifecycle }));
    const started = sandbox.start(['run']);
    const url = await started.line('murmur: url ');
    const [one, two, three] = [
      await rpc(url, 'message/send', message('one')),
      await rpc(url, 'message/send', message('two')),
      await rpc(url, 'message/send', message('   ')),
    ];
    expect((await rpc(url, 'tasks/cancel', { id: two.id })).status.state).toBe('canceled');
    expect(textOf(await until(url, one.id, 'completed'), 'response')).toContain('word word');
    expect((await until(url, three.id, 'failed')).status.message?.parts[0]?.text).toContain('blank');
    const four = await rpc(url, 'message/send', message('four'));
    await until(url, four.id, 'working');
    expect((await rpc(url, 'tasks/cancel', { id: four.id })).status.state).toBe('canceled');
    await started.seen(() => sandbox.trace().filter((line) => line.event_type === 'task_end').length === 3);
    started.child.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('status:  ok') });
    const ends = sandbox.trace().filter((line) => line.event_type === 'task_end');
    expect(ends.map((line) => [line.task_id, line.exit_status])).toEqual([
      [one.id, 'ok'],
      [three.id, 'failed'],
      [four.id, 'canceled'],
    ]);
    expect(sandbox.trace().filter((line) => line.event_type === 'task_canceled')).toMatchObject([
      { task_id: two.id, phase: 'queued' },
      { task_id: four.id, phase: 'inference' },
    ]);
  });

  test('three tasks queued at a capsule that exits each reach exactly one final state (report 49)', async () => {
    const turns = [{ say: 'word '.repeat(20), delay_ms: 30 }];
    sandbox.manifest(rehearsal(turns, { lifecycle: { task_acceptance: 'queue', after_task: 'exit', queue_depth: 3 } }));
    const started = sandbox.start(['run']);
    const url = await started.line('murmur: url ');
    const tasks = [];
    for (const text of ['one', 'two', 'three']) tasks.push(await rpc(url, 'message/send', message(text)));
    await started.ended;
    const endings = sandbox
      .trace()
      .filter((line) => line.event_type === 'task_end' || line.event_type === 'task_rejected')
      .map((line) => [line.task_id, line.event_type]);
    expect(endings).toEqual([
      [tasks[0]!.id, 'task_end'],
      [tasks[1]!.id, 'task_rejected'],
      [tasks[2]!.id, 'task_rejected'],
    ]);
  });

  test('a tool asks a person: the task waits, the next message answers it, and the deadline stands still meanwhile', async () => {
    sandbox.write('project/ask/murmur.yaml', 'name: ask\nversion: "1.0.0"\nruntime: tool\n');
    sandbox.write('project/ask/ask.wasm', await build(guests.ask));
    sandbox.manifest(
      JSON.stringify({
        name: 'sample',
        version: '0.1.0',
        artifacts: [
          { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
          { name: 'ask', source: './ask', local_source: true },
        ],
        capabilities: { limits: { deadline_seconds: 2 } },
        inference: {
          model: 'rehearsal',
          driver: {
            artifact: 'mur-driver-rehearsal',
            config: {
              turns: [
                { call: { tool: 'ask', input: { which: 'colour' } } },
                { expect: 'blue', say: 'It is {{result}}' },
              ],
            },
          },
        },
      }),
    );
    const started = sandbox.start(['run']);
    const url = await started.line('murmur: url ');
    const task = await rpc(url, 'message/send', message('ask me'));
    const waiting = await until(url, task.id, 'input-required');
    expect(textOf(waiting, 'prompt')).toBe('{"which":"colour"}');
    await new Promise((done) => setTimeout(done, 2500));
    await rpc(url, 'message/send', message('blue'));
    const ran = await started.ended;
    expect(ran.stdout).toContain('status:  ok');
  });
});

describe('script capsules', () => {
  const script = async (echo: boolean): Promise<void> => {
    sandbox.write('project/capsule.wasm', await build(guests.capsule));
    sandbox.write('project/echo/murmur.yaml', 'name: echo\nversion: "1.0.0"\nruntime: tool\n');
    sandbox.write('project/echo/echo.wasm', await build(guests.echo));
    const artifacts = echo ? [{ name: 'echo', source: './echo', local_source: true }] : [];
    sandbox.manifest(JSON.stringify({ name: 'script', version: '0.1.0', artifacts }));
  };

  test('run once, call a tool through the registry, open no door', async () => {
    await script(true);
    const ran = await sandbox.run(['run']);
    expect(ran.stdout).toMatch(/^session: ses_[0-9a-f]{32}\nstatus: {2}ok\n$/);
    expect(ran.code).toBe(0);
  });

  test('that trap end trapped, exit 1, with E-RUN-001', async () => {
    await script(false);
    const ran = await sandbox.run(['run']);
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('status:  trapped') });
    expect(ran.stderr).toContain('error[E-RUN-001]');
  });

  test('cannot be given a deadline', async () => {
    await script(true);
    const ran = await sandbox.run(['run', '--deadline', '5']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('error[E-RUN-902]');
    expect(sandbox.records()).toEqual([]);
  });
});

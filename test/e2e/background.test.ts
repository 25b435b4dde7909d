import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FrameBody } from '../../src/inspect/item.js';
import { followRecords } from '../../src/inspect/records/follower.js';
import { openReplay } from '../../src/replay/index.js';
import { pidsOf } from '../fixtures/processes.js';
import { Watcher } from '../inspect/wire.js';
import { rehearsal, Sandbox, type Started } from './cli.js';

// Real sessions on a busy machine: every wait ends by what happens, not by this.
vi.setConfig({ testTimeout: 120_000 });

// Below the temporary folder of the machine a private /tmp would hide the session.
const place = resolve('test-output', `background-${process.pid}`);
afterAll(() => rmSync(place, { recursive: true, force: true }));

let sandbox: Sandbox;
const sessions: Started[] = [];
beforeEach(() => {
  sandbox = new Sandbox(place);
  mkdirSync(join(sandbox.project, 'work'));
});
afterEach(async () => {
  for (const { child, ended } of sessions.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  sandbox.remove();
});

type Line = Readonly<Record<string, unknown>>;

const bash = (command: string) => ({ call: { tool: 'bash', input: { command } } });
/** Runs until the file `go` is in the work folder. */
const waiting = 'while [ ! -e go ]; do sleep 0.05; done; echo out; exit 7';
const work = (name: string) => join(sandbox.project, 'work', name);
const lines = (type: string): Line[] => sandbox.trace().filter(({ event_type }) => event_type === type);
const has = (type: string, count = 1) => sandbox.records().length > 0 && lines(type).length >= count;

async function serve(turns: readonly unknown[], lifecycle: object, ...args: string[]) {
  sandbox.manifest(
    rehearsal(turns, {
      capabilities: { shell: { allow: ['bash', 'sleep'] } },
      lifecycle: { task_acceptance: 'queue', after_task: 'sleep', ...lifecycle },
    }),
  );
  const started = sandbox.start(['run', '--workdir', 'work', ...args]);
  sessions.push(started);
  return { ...started, url: await started.line('murmur: url ') };
}

async function send(url: string, text: string): Promise<string> {
  const message = { messageId: 'm1', role: 'user', parts: [{ text }] };
  return String((await ask(url, 'message/send', { message })).id);
}

async function ask(url: string, method: string, params: object): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`http://${url}/`, { method: 'POST', headers, body });
  return ((await response.json()) as { result: Record<string, unknown> }).result;
}

const commandId = 'session/command:cmd_1';
const statesOf = (watcher: Watcher) =>
  [...watcher.of('actor'), ...watcher.of('snap')].flatMap(({ id, snap }) =>
    id === commandId && snap.v !== undefined ? [snap.v as string] : [],
  );

/** The frames of the past, as the records of the session tell it. */
async function pastOf(recordsDir: string): Promise<FrameBody[]> {
  const context = { sys: 'ses_1', redactText: (text: string) => text, recordsDir, startedAt: 0, restFactor: 0 };
  const following = followRecords({ ...context, conversation: () => undefined }, () => undefined);
  const bodies: FrameBody[] = [];
  for await (const body of following.past(false)) bodies.push(body);
  following.stop();
  return bodies;
}

describe.runIf(process.platform === 'linux')('a command that goes on in the background', () => {
  test('its end is a task of the capsule, which answers it in the same context', async () => {
    const turns = [bash(waiting), { say: 'It goes on.' }, { say: 'Heard: {{task}}' }];
    const lifecycle = { shell_grace_secs: 0, conversation: 'threaded' };
    const { ended, seen, child, url, line } = await serve(turns, lifecycle, '--inspect', '--task', 'go');
    const sessionId = await line('session: ');
    const token = readFileSync(join(sandbox.home, '.murmur/running', `${sessionId}.inspect`), 'utf8');
    const watcher = new Watcher(Number(url.split(':')[1]), token);
    await seen(() => has('task_end'));
    await watcher.until(() => statesOf(watcher).includes('demoted'));
    const [detached] = lines('shell_detached');
    expect(lines('shell')).toEqual([]);
    writeFileSync(work('go'), '');
    await seen(() => has('task_end', 2));
    await watcher.until(() => watcher.of('gone').some(({ id }) => id === commandId));
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    const actor = watcher.of('actor').find(({ id }) => id === commandId);
    expect(actor).toMatchObject({ name: 'command', parent: 'session', def: expect.any(String) });
    expect(statesOf(watcher).slice(-1)).toEqual(['completed']);
    const recorded = await pastOf(sandbox.records().at(-1)!);
    expect(recorded.filter((body) => body.type === 'actor' && body.id === commandId)).toMatchObject([
      { name: 'command', def: actor!.def },
    ]);

    const [first, second] = lines('task_start');
    const [completed] = lines('shell_completed');
    expect(second).toMatchObject({
      task_id: completed!.completion_task_id,
      context_id: first!.context_id,
      ...{ source: 'detached_shell', origin: 'completion', trust: 'trusted', lane: 'bg' },
    });
    expect(completed).toMatchObject({ work_id: detached!.work_id, exit_code: 7, status: 'error' });
    expect(lines('task_end')).toMatchObject([
      { exit_status: 'ok', shell_calls: 1 },
      { exit_status: 'ok', task_id: second!.task_id, turns: 1 },
    ]);
    const answer = readFileSync(join(sandbox.records().at(-1)!, `out/result_${second!.task_id}.txt`), 'utf8');
    expect(answer).toContain(`work_id: ${detached!.work_id}`);
    expect(answer).toContain('exit_code: 7');
    expect(readFileSync(String(completed!.output_path), 'utf8')).toContain('Stdout:\nout\n');
    expect(lines('session_end')).toMatchObject([{ exit_status: 'ok', total_shell_calls: 1 }]);
    const order = sandbox.trace().map(({ event_type }) => event_type);
    expect(order.indexOf('shell_completed')).toBeLessThan(order.lastIndexOf('task_start'));
  });

  test('a cancel leaves it alone and ends one in the foreground; a stop takes it along, and says so', async () => {
    const front = `sleep 31${process.pid % 1000}3`;
    const turns = [bash(`${waiting} # back`), bash(`echo > up; ${front}; echo`), { say: 'Done.' }];
    const { url, seen, ended } = await serve(turns, { shell_grace_secs: 3 });
    const id = await send(url, 'go');
    await seen(() => existsSync(work('up')));
    const { work_id: workId, binary } = lines('shell_detached')[0]!;
    const item = { kind: 'detached_shell', work_id: workId, binary, command: `${waiting} # back` };

    const chart = await sandbox.run(['chart', '@1']);
    expect(chart.stdout).toContain('demoted');
    const canceled = await ask(url, 'tasks/cancel', { id });
    expect(canceled).toMatchObject({ status: { state: 'canceled' } });
    const [residue] = canceled.artifacts as { name: string; parts: { text: string }[] }[];
    expect(residue).toMatchObject({ name: 'residue' });
    expect(residue!.parts.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
      { ...item, started_at_ms: expect.any(Number), ends_with_session: true },
    ]);
    await seen(() => has('task_end'));
    await vi.waitFor(() => expect(pidsOf(front)).toEqual([]), { timeout: 20_000 });
    expect(lines('task_canceled')).toMatchObject([{ task_id: id, detached_work_ids: [workId] }]);
    expect(lines('shell_detached')).toHaveLength(1);
    expect(lines('shell_completed')).toEqual([]);

    const stopped = await sandbox.run(['stop', '@1']);
    expect(stopped).toMatchObject({ code: 0, stderr: '' });
    expect(stopped.stdout).toContain(`\nended:   ${workId}  detached shell  ${waiting} # back\n`);
    const { stderr } = await ended;
    expect(stderr.match(/1 background command ended with the session: /g)).toHaveLength(1);
    expect(stderr).toContain(String(workId));
    const order = sandbox.trace().map(({ event_type }) => event_type);
    expect(order.slice(-2)).toEqual(['session_end', 'shell_abandoned']);
    expect(lines('shell_abandoned')).toMatchObject([{ work_id: workId, running_ms: expect.any(Number) }]);
    const records = sandbox.records().at(-1)!;
    expect(readdirSync(join(records, 'logs'))).toContain(`${workId}.log`);
    expect(
      openReplay(records)
        .machines()
        .filter(({ chart }) => chart === 'command'),
    ).toHaveLength(2);
  });

  test('SIGKILL to mur leaves nothing of it behind', async () => {
    const mark = `sleep 31${process.pid % 1000}5`;
    const turns = [bash(`(${mark} &) ; ${mark}; echo`), { say: 'So.' }];
    const { child, url, seen, ended } = await serve(turns, { shell_grace_secs: 0 });
    await send(url, 'go');
    await seen(() => has('task_end') && pidsOf(mark).length === 2);
    child.kill('SIGKILL');
    await ended;
    await vi.waitFor(() => expect(pidsOf(mark)).toEqual([]), { timeout: 20_000 });
  });
});

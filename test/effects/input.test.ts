/** A tool that asks a person, in live sessions: every state a question can be in (spec/session.md section 10). */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { requestInput } from '../../src/effects/input.js';
import type { SessionWorld } from '../../src/effects/world.js';
import { systemClock } from '../../src/supervise/clock.js';
import { TaskRegistry } from '../../src/task/index.js';
import { type Frame, parseFrame, taskRequest } from '../door/stream/client.js';
import { rehearsal } from '../e2e/cli.js';
import { build, guests } from '../fixtures/component/guests.js';
import { type Left, Library, type Line } from './run.js';
import { expectTraceRules } from './trace-rules.js';

vi.setConfig({ testTimeout: 60_000 });

let library: Library;
beforeAll(async () => {
  library = new Library();
  library.sandbox.write('project/ask/murmur.yaml', 'name: ask\nversion: "0.1.0"\nruntime: tool\n');
  library.sandbox.write('project/ask/ask.wasm', await build(guests.ask));
});
afterAll(() => library.close());

const asking = (lifecycle: object, ...turns: unknown[]) =>
  rehearsal([...turns, { say: 'Thanks.' }], {
    artifacts: [
      { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
      { name: 'ask', source: './ask', local_source: true },
    ],
    lifecycle,
    // Waiting for a person does not count.
    capabilities: { limits: { deadline_seconds: 1 } },
    trace: { capture: 'content' },
  });
/** A call whose question is its input. */
const ask = (question: string) => ({ tool: 'ask', input: { question } });
const prompt = (question: string) => JSON.stringify({ question });

interface Task {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly artifacts?: readonly { readonly name: string; readonly parts: readonly { readonly text: string }[] }[];
}
interface Reply {
  readonly result: Task & { readonly task: Task };
  readonly error: { readonly code: number };
}

/** The question a task shows that waits for its answer. */
const questionOf = ({ artifacts = [] }: Task) => artifacts.find(({ name }) => name === 'prompt')?.parts[0]?.text;

async function rpc(url: string, method: string, params: object): Promise<Reply> {
  const response = await fetch(`http://${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await response.json()) as Reply;
}
let sent = 0;
const message = (text: string, more: object = {}) => ({
  message: { messageId: `m${++sent}`, role: 'ROLE_USER', parts: [{ text }], ...more },
});
/** Sends in the words of 1.0, and waits until the task is over or asks. */
const send = async (url: string, text: string, more?: object) =>
  (await rpc(url, 'SendMessage', message(text, more))).result.task;

/** Every frame of a session, from its first to its last. */
async function watch(url: string): Promise<Frame[]> {
  const response = await fetch(`http://${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'stream/watch', params: {} }),
  });
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '');
  return blocks.map(parseFrame).filter(({ event }) => event === 'status');
}

interface Served extends Left {
  /** `[state, message, final]` of each status frame, by task. */
  told(taskId: string): unknown[];
  of(type: string): Line[];
}

/** Runs a session, and `act` against its door; then ends it. */
async function served(manifest: string, act: (url: string) => Promise<void>): Promise<Served> {
  const stop = new AbortController();
  let acted: Promise<void> = Promise.reject(new Error('the door did not open'));
  acted.catch(() => undefined);
  let frames: Promise<Frame[]> = Promise.resolve([]);
  const left = await library.serve(manifest, {
    signal: stop.signal,
    onNotice: (notice) => {
      if (notice.type !== 'door.listening') return;
      frames = watch(notice.url);
      acted = act(notice.url).finally(() => stop.abort());
      acted.catch(() => undefined);
    },
  });
  await acted;
  const told = (await frames).map(({ data }) => data);
  return {
    ...left,
    told: (taskId) =>
      told.filter(({ id }) => id === taskId).map(({ status, final }) => [status.state, status.message, final]),
    of: (type) => left.lines.filter(({ event_type }) => event_type === type),
  };
}

const queue = { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 4 };

test('two tools of one turn, and another in the next, ask one after the other; each gets its own reply, however long it takes', async () => {
  let taskId = '';
  const { told, of, lines, notices, result } = await served(
    asking(queue, { call: [ask('name?'), ask('age?')] }, { call: [ask('sure?')] }),
    async (url) => {
      const first = await send(url, 'go');
      taskId = first.id;
      expect(first.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      expect(questionOf(first)).toBe(prompt('name?'));
      const { result } = await rpc(url, 'tasks/get', { id: taskId });
      expect(questionOf(result)).toBe(prompt('name?'));
      // Longer than the call may run.
      await delay(1_200);
      const second = await send(url, 'Ada', { taskId });
      expect(second).toMatchObject({ id: taskId, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
      expect(questionOf(second)).toBe(prompt('age?'));
      // The older dialect names no task: its next message is the reply.
      const resumed = await rpc(url, 'message/send', message('36', { role: 'user' }));
      expect(resumed.result).toMatchObject({ id: taskId, status: { state: 'working' } });
      await vi.waitFor(async () => {
        const task = await rpc(url, 'tasks/get', { id: taskId });
        expect(task.result.status.state).toBe('input-required');
      });
      const over = await send(url, 'yes', { taskId });
      // What a reader is told of the end is what the final frame says (spec/door.md 6.1).
      expect(over).toMatchObject({
        id: taskId,
        status: { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'session ended' }] } },
      });
      const late = await rpc(url, 'SendMessage', message('too late', { taskId }));
      expect(late.error.code).toBe(-32004);
    },
  );
  expect(told(taskId)).toEqual([
    ['working', 'inference turn 1', false],
    ['input-required', prompt('name?'), false],
    ['working', 'resumed', false],
    ['input-required', prompt('age?'), false],
    ['working', 'resumed', false],
    ['working', 'inference turn 2', false],
    ['input-required', prompt('sure?'), false],
    ['working', 'resumed', false],
    ['working', 'inference turn 3', false],
    ['completed', 'session ended', true],
  ]);
  const asked = { type: 'input.requested', sessionId: result.sessionId, taskId };
  const answered = { type: 'input.ended', taskId, wasAnswered: true };
  expect(notices.filter(({ type }) => type.startsWith('input.'))).toEqual(
    ['name?', 'age?', 'sure?'].flatMap((question) => [{ ...asked, prompt: prompt(question) }, answered]),
  );
  expect(of('tool_call').map(({ output }) => /Ada|36|yes/.exec(String(output))?.[0])).toEqual(['Ada', '36', 'yes']);
  expect(of('task_end')).toMatchObject([{ exit_status: 'ok', tool_calls: 3 }]);
  expectTraceRules(lines);
});

test('a cancel while it waits ends the task there: one final status, phase input, and the next task runs', async () => {
  const ids: string[] = [];
  const { told, of, notices } = await served(asking(queue, { call: [ask('name?')] }), async (url) => {
    const first = await send(url, 'go');
    const canceled = await rpc(url, 'CancelTask', { id: first.id });
    expect(canceled.result.status.state).toBe('TASK_STATE_CANCELED');
    const reply = await rpc(url, 'SendMessage', message('Ada', { taskId: first.id }));
    expect(reply.error.code).toBe(-32004);
    const next = await send(url, 'go');
    expect(next.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await send(url, 'Grace', { taskId: next.id });
    ids.push(first.id, next.id);
  });
  expect(notices.flatMap((notice) => (notice.type === 'input.ended' ? [notice.wasAnswered] : []))).toEqual([
    false,
    true,
  ]);
  expect(told(ids[0]!)).toEqual([
    ['working', 'inference turn 1', false],
    ['input-required', prompt('name?'), false],
    ['canceled', 'task canceled', true],
  ]);
  expect(told(ids[1]!).at(-1)).toEqual(['completed', 'session ended', true]);
  expect(of('task_canceled')).toMatchObject([{ task_id: ids[0], turn: 0, phase: 'input' }]);
  expect(of('task_end').map(({ exit_status }) => exit_status)).toEqual(['canceled', 'ok']);
});

test('the end of the session while it waits cancels the task', async () => {
  let taskId = '';
  const { told, of } = await served(asking(queue, { call: [ask('name?')] }), async (url) => {
    taskId = (await send(url, 'go')).id;
  });
  expect(told(taskId).at(-1)).toEqual(['canceled', 'task canceled', true]);
  expect(of('task_canceled')).toMatchObject([{ phase: 'input' }]);
});

test('nobody answers in time: the task fails with input-timeout, in one final status, and no turn follows', async () => {
  let taskId = '';
  const { told, of, lines } = await served(
    asking({ ...queue, input_timeout_secs: 1 }, { call: [ask('name?'), ask('age?')] }),
    async (url) => {
      const asked = await send(url, 'go');
      taskId = asked.id;
      expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      await vi.waitFor(
        async () => {
          const { result } = await rpc(url, 'tasks/get', { id: taskId });
          expect(result.status).toMatchObject({ state: 'failed', message: { parts: [{ text: 'input-timeout' }] } });
          expect(JSON.stringify(result)).not.toContain('"prompt"');
        },
        { timeout: 20_000 },
      );
    },
  );
  expect(told(taskId)).toEqual([
    ['working', 'inference turn 1', false],
    ['input-required', prompt('name?'), false],
    ['failed', 'input-timeout', true],
  ]);
  expect(of('task_failed')).toMatchObject([{ cause: 'input_timeout', reason: 'input-timeout' }]);
  expect(of('inference')).toHaveLength(1);
  expect(of('task_end')).toMatchObject([{ exit_status: 'failed', turns: 1 }]);
  expectTraceRules(lines);
});

test('a task that did not come through the door has nobody to ask: the call traps, and the model goes on', async () => {
  const { result, lines } = await library.run(asking({ task_acceptance: 'none' }, { call: [ask('name?')] }));
  expect(result).toMatchObject({ status: 'ok' });
  expect(lines.find(({ event_type }) => event_type === 'tool_call')).toMatchObject({
    status: 'error',
    output: expect.stringContaining(
      'trapped: request-input: this task did not come through the door of its session (mur send), so nobody can answer',
    ),
  });
});

test('a question that no person would read is not put', async () => {
  const work = new Map([['tsk_1', { request: { source: 'a2a' } }]]);
  const world = { work } as unknown as SessionWorld;
  const asked = requestInput(world, 'tsk_1')('?'.repeat(1024 * 1024 + 1), new AbortController().signal);
  await expect(asked).rejects.toThrow('the question is over 1048576 bytes');
});

test('a call that was ended already puts no question: its task would wait for an answer that nobody takes', async () => {
  const registry = new TaskRegistry({ acceptance: 'single', queueDepth: 1, now: () => 1 });
  registry.enqueue(taskRequest('tsk_1'));
  registry.start('tsk_1');
  const quiet = () => undefined;
  const draft = { clock: systemClock, lifecycle: {}, sessionId: 'ses_1', notify: quiet };
  const secrets = { redactKeys: (text: string) => text };
  const work = new Map([['tsk_1', { request: { source: 'a2a' } }]]);
  const world = { work, registry, draft, secrets, send: quiet } as unknown as SessionWorld;
  const asked = requestInput(world, 'tsk_1')('name?', AbortSignal.abort(new Error('the deadline passed')));
  asked.catch(quiet);
  expect(registry.get('tsk_1')?.state).toBe('working');
  await expect(asked).rejects.toThrow('the deadline passed');
});

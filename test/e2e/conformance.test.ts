/**
 * What the public conformance suite of A2A asks of an agent over JSON-RPC, in our own words, against the example that serves as its
 * target: the mandatory and the capability groups of 0.3, and the 1.0 counterparts. One session serves all rows; none waits for another.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Sandbox, type Started } from './cli.js';

// A real session on a busy machine: every wait ends by what happens, not by this.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 });

let sandbox: Sandbox;
let started: Started;
let url: string;
beforeAll(async () => {
  sandbox = new Sandbox();
  const example = resolve(import.meta.dirname, '../../examples/echo-agent/murmur.yaml');
  sandbox.manifest(readFileSync(example, 'utf8'));
  started = sandbox.start(['run']);
  url = `http://${await started.line('murmur: url ')}`;
});
afterAll(async () => {
  started.child.kill('SIGTERM');
  await started.ended;
  sandbox.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: replies are read freely in tests
type Loose = any;

async function post(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
}

/** The whole reply: status 200, the version, the id that was sent. */
async function call(method: string, params: unknown, headers = {}): Promise<Loose> {
  const id = crypto.randomUUID();
  const response = await post(JSON.stringify({ jsonrpc: '2.0', id, method, params }), headers);
  expect(response.status).toBe(200);
  const reply = (await response.json()) as Loose;
  expect(reply).toMatchObject({ jsonrpc: '2.0', id });
  return reply;
}

/** The results of a stream, to its end or to the first that `isEnough`; an error in it is thrown. */
async function* stream(method: string, params: unknown): AsyncGenerator<Loose> {
  const left = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'one', method, params }),
    signal: left.signal,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk, { stream: true });
      const lines = text.split('\n');
      text = lines.pop()!;
      for (const line of lines.filter((one) => one.startsWith('data: '))) {
        const reply = JSON.parse(line.slice(6)) as Loose;
        expect(reply).toMatchObject({ jsonrpc: '2.0', id: 'one' });
        if (reply.error !== undefined) throw new Error(`${reply.error.code}: ${reply.error.message}`);
        yield reply.result;
      }
    }
  } finally {
    left.abort();
  }
}

const older = (text: string, more: object = {}) => ({
  message: {
    ...{ kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts: [{ kind: 'text', text }] },
    ...more,
  },
});
const begun = /^(submitted|working|input-required|completed)$/;
const begin = async (more: object = {}): Promise<Loose> => {
  const { result } = await call('message/send', older('a task to look at', more));
  expect(result).toMatchObject({ kind: 'task', status: { state: expect.stringMatching(begun) } });
  return result;
};

describe('the card', () => {
  const card = async (path = '/.well-known/agent-card.json'): Promise<Loose> => (await fetch(`${url}${path}`)).json();

  test('stands at both well-known paths with every field each age requires', async () => {
    const current = await card();
    expect(await card('/.well-known/agent.json')).toEqual(current);
    for (const field of ['name', 'description', 'version', 'url', 'preferredTransport']) {
      expect(current[field], field).toMatch(/\S/);
    }
    expect(current.url).toMatch(/^https?:\/\/[^\s/$.?#].[^\s]*$/);
    expect(current.protocolVersion).toMatch(/^\d+\.\d+\.\d+$/);
    expect(current.preferredTransport).toBe('JSONRPC');
    expect(current.additionalInterfaces).toEqual([{ transport: 'JSONRPC', url: current.url }]);
    for (const field of ['defaultInputModes', 'defaultOutputModes', 'skills', 'supportedInterfaces']) {
      expect(current[field].length, field).toBeGreaterThan(0);
    }
    for (const skill of current.skills) {
      expect(skill).toMatchObject({
        id: expect.stringMatching(/\S/),
        name: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
        tags: expect.any(Array),
      });
    }
    expect(current.capabilities).toMatchObject({ streaming: true, pushNotifications: false });
    for (const extension of current.capabilities.extensions) {
      expect(extension).toMatchObject({
        uri: expect.stringMatching(/\S/),
        required: false,
        params: expect.any(Object),
      });
    }
  });

  test('tells nothing that a scanner takes for a credential, an inner address or a place to debug', async () => {
    const text = JSON.stringify(await card());
    expect(text).not.toMatch(/api[_-]?key|secret|token|password|credential/i);
    expect(text).not.toMatch(/127\.0\.0\.1|192\.168\.|10\.|172\.(1[6-9]|2\d|3[01])\./);
    expect(text).not.toMatch(/(internal|private|admin|debug|test).*(url|endpoint|host)/i);
    expect(text).not.toMatch(/(database|db|redis|mongo|sql)[_-]?(url|host|connection)/i);
  });
});

describe('JSON-RPC', () => {
  test.each([
    ['a body that is no JSON', '{"jsonrpc":"2.0","method":"message/send","params":{"a":true', -32700],
    ['another version and no id', '{"jsonrpc":"aaa","method":"message/send","params":{}}', -32600],
    ['no method', '{"jsonrpc":"2.0","params":{}}', -32600],
    ['a method nobody has, no id', '{"jsonrpc":"2.0","method":"message/ssend","params":{}}', -32601],
    ['a method nobody has', '{"jsonrpc":"2.0","id":"3","method":"nonexistent/method","params":{}}', -32601],
    ['an id that is an object', '{"jsonrpc":"2.0","method":"message/send","params":{},"id":{"bad":"type"}}', -32600],
    ['params without a message, no id', '{"jsonrpc":"2.0","method":"message/send","params":{"":"x"}}', -32602],
    [
      'parts that are a text',
      '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"parts":"x"}}}',
      -32602,
    ],
    [
      'a message of its kind alone',
      '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message"}}}',
      -32602,
    ],
    [
      'params of something else',
      '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"invalid":"structure"}}',
      -32602,
    ],
    ['a 1.0 message without anything', '{"jsonrpc":"2.0","id":"4","method":"SendMessage","params":{"":"x"}}', -32602],
    ['a 1.0 id that is an object', '{"jsonrpc":"2.0","method":"SendMessage","params":{},"id":{"bad":"type"}}', -32600],
    [
      'an id that names no task',
      '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":{"an":"object"}}}',
      -32602,
    ],
    ['an empty id', '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":""}}', -32001],
    ['a task to cancel without its id', '{"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":{}}', -32602],
  ])('%s is answered with status 200 and %s', async (_name, body, code) => {
    const response = await post(body);
    expect(response.status).toBe(200);
    const { error, jsonrpc } = (await response.json()) as Loose;
    expect([jsonrpc, error.code]).toEqual(['2.0', code]);
    expect(error.message).toMatch(/\S{3}/);
  });

  test('a well-formed message under another version is refused under its id, and ids may repeat', async () => {
    const body = (jsonrpc: string) =>
      JSON.stringify({ jsonrpc, id: 'same', method: 'message/send', params: older('x') });
    expect(await (await post(body('1.0'))).json()).toMatchObject({ id: 'same', error: { code: -32600 } });
    for (const _ of [1, 2]) {
      const reply = (await (await post(body('2.0'))).json()) as Loose;
      expect(reply).toMatchObject({ id: 'same', result: { id: expect.any(String) } });
      await call('tasks/cancel', { id: reply.result.id });
    }
  });
});

describe('messages and tasks of 0.3', () => {
  test('text begins a task that can be read with its history, and canceled; nobody is not found', async () => {
    const { id } = await begin();
    const got = await call('tasks/get', { id, historyLength: 1 });
    expect(got.result).toMatchObject({
      kind: 'task',
      id,
      contextId: expect.any(String),
      status: { state: expect.any(String) },
    });
    expect(got.result.history).toHaveLength(1);
    expect((await call('tasks/cancel', { id })).result).toMatchObject({ id, status: { state: 'canceled' } });
    for (const method of ['tasks/get', 'tasks/cancel']) {
      expect((await call(method, { id: 'nonexistent-task-id' })).error.code, method).toBe(-32001);
    }
  });

  test('a task under way takes further messages that name it, with its context or without, and its history holds them', async () => {
    const { id, contextId } = await begin();
    for (const more of [{}, { contextId }, {}]) {
      const { result } = await call('message/send', older('and more', { taskId: id, ...more }));
      expect(result).toMatchObject({ id, status: { state: expect.stringMatching(begun) } });
    }
    expect((await call('tasks/get', { id, historyLength: 10 })).result.history).toHaveLength(4);
    expect((await call('tasks/get', { id, historyLength: 2 })).result.history).toHaveLength(2);
    await call('tasks/cancel', { id });
  });

  test('what more is said to a task under way reaches the agent before the task ends', async () => {
    const { id } = await begin();
    const more = { ...older('and the second thing', { taskId: id }), configuration: { blocking: true } };
    const { result } = await call('message/send', more);
    expect(result).toMatchObject({ id, status: { state: 'completed' }, artifacts: [{ name: 'response' }] });
    expect(result.artifacts[0].parts[0].text).toContain('and the second thing');
    expect((await call('message/send', older('too late', { taskId: id }))).error.code).toBe(-32004);
  });

  test.each([
    ['an object', { key: 'value', nested: { array: [1, 2, 3] } }],
    ['a list', [{ name: 'Alice' }, { name: 'Bob' }]],
  ])('data that is %s is taken beside text', async (_name, data) => {
    const { result } = await call(
      'message/send',
      older('x', {
        parts: [
          { kind: 'text', text: 'x' },
          { kind: 'data', data },
        ],
      }),
    );
    expect(result.status.state).toMatch(begun);
    await call('tasks/cancel', { id: result.id });
  });

  test('what is not served says so: a file, push notifications, the extended card of an open door', async () => {
    const file = { name: 'x.bin', mimeType: 'application/x-unheard-of', bytes: 'VGVzdA==' };
    const parts = [
      { kind: 'text', text: 'x' },
      { kind: 'file', file },
    ];
    const refused = (await call('message/send', older('', { parts }))).error;
    expect(refused.code).toBe(-32005);
    for (const word of ['content', 'type', 'incompatible', 'not', 'supported']) {
      expect(refused.message.toLowerCase()).toContain(word);
    }
    for (const method of ['set', 'get', 'list', 'delete']) {
      const params = { taskId: 'tsk', pushNotificationConfig: { url: 'https://example.com/' } };
      const { error } = await call(`tasks/pushNotificationConfig/${method}`, params);
      expect(error.code).toBe(-32003);
      expect(error.message.toLowerCase()).toMatch(/push notification.*not supported/);
    }
    expect((await call('agent/getAuthenticatedExtendedCard', {})).error.code).toBe(-32007);
  });
});

describe('streams of 0.3', () => {
  test('a message whose id marks it for it stays at work for seconds; who subscribes meanwhile gets the task and its end', async () => {
    const messageId = `test-resubscribe-message-id-${crypto.randomUUID()}`;
    const kinds = new Set<string>();
    let joined: Promise<Loose[]> | undefined;
    let beganAt = 0;
    for await (const frame of stream('message/stream', older('Test message for resubscribe', { messageId }))) {
      kinds.add(frame.kind);
      if (frame.status?.state === 'working') beganAt ||= performance.now();
      if (frame.kind === 'artifact-update' && joined === undefined)
        joined = all(stream('tasks/resubscribe', { id: frame.taskId }));
      if (frame.kind === 'task')
        expect(frame).toMatchObject({ id: expect.any(String), status: { state: expect.any(String) } });
      else expect(frame).toMatchObject({ taskId: expect.any(String), contextId: expect.any(String) });
      if (frame.final) expect(frame.status.state).toBe('completed');
    }
    expect(performance.now() - beganAt).toBeGreaterThan(4000);
    expect([...kinds].sort()).toEqual(['artifact-update', 'status-update', 'task']);
    const frames = await joined!;
    expect(frames[0]).toMatchObject({ kind: 'task', status: { state: 'working' } });
    expect(frames.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
  });

  test('of a message that is none, and of a task that is none, end with the error as their only frame', async () => {
    await expect(all(stream('message/stream', { message: { kind: 'message' } }))).rejects.toThrow('-32602');
    await expect(all(stream('tasks/resubscribe', { id: 'non-existent-task-id' }))).rejects.toThrow(/-32001.*not found/);
  });
});

describe('the same agent in 1.0', () => {
  const first = (text: string, more: object = {}) => ({
    message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more },
  });

  test('sends and waits, gets, lists, continues nothing that ended, cancels', async () => {
    const { task } = (await call('SendMessage', first('hello'))).result;
    expect(task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: /hello/ }] }],
    });
    const { id, contextId } = task;
    expect((await call('GetTask', { id, historyLength: 1 })).result).toMatchObject({
      id,
      history: [{ role: 'ROLE_USER' }],
    });
    const page = (await call('ListTasks', { contextId, pageSize: 1, includeArtifacts: true })).result;
    expect(page).toMatchObject({ tasks: [{ id, artifacts: [{}] }], nextPageToken: '', pageSize: 1, totalSize: 1 });
    expect((await call('SendMessage', first('more', { taskId: id }))).error).toMatchObject({
      code: -32004,
      data: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'UNSUPPORTED_OPERATION',
          domain: 'a2a-protocol.org',
        },
      ],
    });
    const waiting = (await call('SendMessage', { ...first('hello'), configuration: { returnImmediately: true } }))
      .result.task;
    expect((await call('CancelTask', { id: waiting.id })).result.status.state).toBe('TASK_STATE_CANCELED');
    expect((await call('CancelTask', { id: waiting.id })).error.code).toBe(-32002);
    expect((await call('CreateTaskPushNotificationConfig', {})).error.code).toBe(-32003);
    expect((await call('GetTask', { id }, { 'a2a-version': '99.0' })).error.code).toBe(-32009);
  });

  test('streams exactly one thing a frame, and is subscribed to', async () => {
    let joined: Promise<Loose[]> | undefined;
    const frames: Loose[] = [];
    for await (const frame of stream('SendStreamingMessage', first('hello'))) {
      frames.push(frame);
      if (frame.artifactUpdate !== undefined)
        joined ??= all(stream('SubscribeToTask', { id: frame.artifactUpdate.taskId }));
    }
    for (const frame of [...frames, ...(await joined!)]) expect(Object.keys(frame)).toHaveLength(1);
    expect(frames[0].task.status.state).toBe('TASK_STATE_SUBMITTED');
    expect((await joined!)[0].task.id).toBe(frames[0].task.id);
    expect(frames.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    await expect(all(stream('SubscribeToTask', { id: frames[0].task.id }))).rejects.toThrow('-32004');
  });
});

async function all(frames: AsyncGenerator<Loose>): Promise<Loose[]> {
  const seen: Loose[] = [];
  for await (const frame of frames) seen.push(frame);
  return seen;
}

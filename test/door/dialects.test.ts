import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamExtension } from '../../src/door/task-headers.js';
import { message, type OpenedDoor, open, rpc } from './client.js';

let opened: OpenedDoor;
const call = (method: string, params?: unknown, headers?: Record<string, string>) =>
  rpc(opened.door.port, method, params, headers);
const user = (parts: unknown = [{ text: 'x' }], extra: object = {}) => ({
  message: { messageId: 'm1', role: 'ROLE_USER', parts, ...extra },
  configuration: { returnImmediately: true },
});
const older = (parts: unknown = [{ kind: 'text', text: 'x' }], extra: object = {}) => ({
  message: { kind: 'message', messageId: 'm1', role: 'user', parts, ...extra },
});
/** A task that waits for a person. */
const asking = (prompt = 'which one?'): { readonly id: string; readonly replies: string[] } => {
  const id = `tsk_${opened.tasks.list().length}`;
  const replies: string[] = [];
  const request = { taskId: id, contextId: 'ctx_a', text: 'begin', origin: 'event', trust: 'untrusted' } as const;
  opened.tasks.enqueue({ ...request, source: 'a2a', receivedAtMs: 0, messageId: 'm0' });
  opened.tasks.start(id);
  opened.tasks.setInputRequired(id, prompt, (text) => replies.push(text));
  return { id, replies };
};
const drain = () => {
  const active = opened.tasks.activeTaskId;
  if (active !== undefined) opened.tasks.finish(active, 'completed', { response: 'done' });
  for (const { taskId } of opened.tasks.list()) opened.tasks.cancel(taskId);
};

beforeAll(async () => {
  opened = await open({ queueDepth: 64 });
});
afterAll(async () => {
  await opened.door.close();
});

describe('messages of A2A 1.0 (spec/door.md 7)', () => {
  it.each([
    ['no message', { message: undefined }, 'message must be an object'],
    ['a bare message', { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] }, 'message must be an object'],
    ['no messageId', user(undefined, { messageId: '' }), 'message.messageId must be a non-empty string'],
    ['the role of another dialect', user(undefined, { role: 'user' }), 'message.role must be ROLE_USER'],
    ['no parts', user([]), 'message.parts must be a non-empty array'],
    ['a part that sets nothing', user([{}]), 'message.parts[0] must set exactly one of text, raw, url, data'],
    [
      'a part that sets two',
      user([{ text: 'x', url: 'y' }]),
      'message.parts[0] must set exactly one of text, raw, url, data',
    ],
    ['a text that is none', user([{ text: 1 }]), 'message.parts[0].text must be a string'],
    ['a filename that is none', user([{ data: 1, filename: 2 }]), 'message.parts[0].filename must be a string'],
    ['a taskId that is none', user(undefined, { taskId: 1 }), 'message.taskId must be a string'],
    [
      'an empty reference',
      user(undefined, { referenceTaskIds: [''] }),
      'message.referenceTaskIds must be an array of non-empty strings',
    ],
    [
      'seventeen references',
      user(undefined, { referenceTaskIds: Array.from({ length: 17 }, (_, at) => `t${at}`) }),
      'message.referenceTaskIds names more than 16 tasks',
    ],
    [
      'a malformed part after one that is not read: malformed comes first',
      user([{ url: 'https://x' }, {}]),
      'message.parts[1] must set exactly one of text, raw, url, data',
    ],
  ])('%s answers -32602 and starts nothing', async (_name, params, why) => {
    const before = opened.tasks.list().length;
    expect((await call('SendMessage', params)).error).toEqual({ code: -32602, message: `Invalid params: ${why}` });
    expect(opened.tasks.list()).toHaveLength(before);
  });

  it('a part that is not read answers -32005, with which one and what it said it was', async () => {
    const { error } = await call('SendMessage', user([{ text: 'x' }, { url: 'https://x', mediaType: 'image/png' }]));
    expect(error).toMatchObject({
      code: -32005,
      message: expect.stringContaining('message.parts[1] is a url part; this agent reads text and data parts only'),
      data: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'CONTENT_TYPE_NOT_SUPPORTED',
          domain: 'a2a-protocol.org',
          metadata: { partIndex: '1', mediaType: 'image/png' },
        },
      ],
    });
  });

  it('gives the model texts and data in order, a data part in a fence nothing inside can close', async () => {
    drain();
    const data = { code: 'a ````x```` b' };
    await call('SendMessage', user([{ text: 'look:' }, { data, mediaType: 'a b=`c', filename: 'f.json' }]));
    expect(opened.tasks.next()?.text).toBe(
      `look:\n\`\`\`\`\`data media-type=a_b__c filename=f.json\n${JSON.stringify(data, null, 2)}\n\`\`\`\`\``,
    );
  });

  it('tells what became of the tasks it refers to, each once, in the order first named', async () => {
    drain();
    const { id: ended } = asking();
    opened.tasks.deliverInput(ended, 'x');
    opened.tasks.finish(ended, 'completed', { response: 'forty-two' });
    const live = (await call('SendMessage', user())).result.task.id;
    await call('SendMessage', user([{ text: 'and these?' }], { referenceTaskIds: [live, 'nobody', live, ended] }));
    opened.tasks.cancel(live);
    expect(opened.tasks.next()?.text.split('\n')).toEqual([
      'and these?',
      'Referenced tasks:',
      `- ${live}: submitted`,
      '- nobody: not a task this capsule holds',
      `- ${ended}: completed`,
      '```response',
      'forty-two',
      '```',
    ]);
  });

  it.each(['messageId', 'contextId'])('refuses a %s that no task could carry in each of its frames', async (name) => {
    const refused = { code: -32602, message: `Invalid params: message.${name} is longer than 4096 characters` };
    const extra = { [name]: 'i'.repeat(4097) };
    expect((await call('SendMessage', user(undefined, extra))).error).toEqual(refused);
    expect((await call('message/send', older(undefined, extra))).error).toEqual(refused);
    const message = { messageId: 'm', role: 'user', parts: [{ text: 'x' }], ...extra };
    expect((await call('message/send', { message })).error).toEqual(refused);
    expect((await call('SendMessage', user(undefined, { [name]: 'i'.repeat(4096) }))).error).toBeUndefined();
  });
});

describe('messages of A2A 0.3 (spec/door.md 7)', () => {
  it.each([
    ['the role of another dialect', older(undefined, { role: 'ROLE_USER' }), 'message.role must be user'],
    ['a part without kind', older([{ text: 'x' }]), 'message.parts[0].kind must be text, data or file'],
    ['no parts', older([]), 'message.parts must be a non-empty array'],
    ['data that is missing', older([{ kind: 'data' }]), 'message.parts[0].data is missing'],
  ])('%s answers -32602', async (_name, params, why) => {
    expect((await call('message/send', params)).error).toEqual({ code: -32602, message: `Invalid params: ${why}` });
  });

  it('a file part answers -32005, without what only A2A 1.0 sends', async () => {
    const { error } = await call('message/send', older([{ kind: 'file', file: { mimeType: 'image/png' } }]));
    expect(error).toEqual({
      code: -32005,
      message: expect.stringMatching(/^Incompatible content types.*not supported: .*file part/),
    });
  });
});

describe('routing by taskId (spec/door.md 7)', () => {
  it.each([
    ['SendMessage', user, 'TASK_STATE_WORKING'],
    ['message/send', older, 'working'],
  ] as const)('%s answers a waiting task, which goes on', async (method, make, state) => {
    drain();
    const { id, replies } = asking();
    const { result } = await call(method, make(undefined, { taskId: id, contextId: 'ctx_a' }));
    expect((result.task ?? result).status.state).toBe(state);
    expect(replies).toEqual(['x']);
  });

  it('refuses an unknown task, an ended one, a working one and another context, and delivers nothing', async () => {
    drain();
    const { id, replies } = asking();
    const send = async (extra: object) => (await call('SendMessage', user(undefined, extra))).error;
    expect(await send({ taskId: 'nobody' })).toMatchObject({
      code: -32001,
      data: [{ reason: 'TASK_NOT_FOUND', metadata: { taskId: 'nobody' } }],
    });
    const queued = (await call('SendMessage', user())).result.task.id;
    expect(await send({ taskId: queued })).toMatchObject({
      code: -32004,
      data: [{ metadata: { taskId: queued, state: 'TASK_STATE_SUBMITTED' } }],
    });
    expect(await send({ taskId: id, contextId: 'another' })).toMatchObject({ code: -32602 });
    opened.tasks.deliverInput(id, 'by hand');
    expect(await send({ taskId: id })).toMatchObject({
      code: -32004,
      data: [{ reason: 'UNSUPPORTED_OPERATION', metadata: { taskId: id, state: 'TASK_STATE_WORKING' } }],
    });
    opened.tasks.finish(id, 'completed');
    expect(await send({ taskId: id })).toMatchObject({
      code: -32004,
      data: [{ metadata: { state: 'TASK_STATE_COMPLETED' } }],
    });
    expect(replies).toEqual(['by hand']);
  });

  it('A2A 0.3 gives a task under way what more is said to it, A2A 1.0 does not; neither gives an ended one any', async () => {
    drain();
    const { id, contextId } = (await call('message/send', older())).result;
    const more = { taskId: id, messageId: 'm2' };
    const waiting = await call('message/send', older([{ kind: 'text', text: 'and this' }], { ...more, contextId }));
    expect(waiting.result).toMatchObject({ id, status: { state: 'submitted' } });
    opened.tasks.start(id);
    const working = await call('message/send', older([{ kind: 'text', text: 'and that' }], more));
    expect(working.result).toMatchObject({ id, status: { state: 'working' } });
    expect((await call('message/send', older(undefined, { ...more, contextId: 'another' }))).error.code).toBe(-32602);
    expect((await call('SendMessage', user(undefined, more))).error).toMatchObject({
      code: -32004,
      data: [{ metadata: { taskId: id, state: 'TASK_STATE_WORKING' } }],
    });
    expect(opened.tasks.takeFollowUps(id).map(({ text, trust }) => [text, trust])).toEqual([
      ['and this', 'untrusted'],
      ['and that', 'untrusted'],
    ]);
    opened.tasks.answer(id, true);
    expect((await call('message/send', older(undefined, more))).error.code).toBe(-32004);
    opened.tasks.finish(id, 'completed');
    expect((await call('message/send', older(undefined, more))).error).toEqual({
      code: -32004,
      message: 'This operation is not supported: the task already ended as completed',
    });
  });

  it('a message that names no task starts one, even while another waits', async () => {
    drain();
    const { id, replies } = asking();
    const { result } = await call('SendMessage', user(undefined, { taskId: '' }));
    expect(result.task.id).not.toBe(id);
    expect(replies).toEqual([]);
  });
});

describe('when a send answers (spec/door.md 6)', () => {
  const blocking = { message: user().message };

  it.each([
    ['v1, by default', 'SendMessage', blocking, (result: never) => (result as { task: object }).task],
    ['v03, blocking', 'message/send', { ...older(), configuration: { blocking: true } }, (result: never) => result],
  ])('%s: when the task ended or asks', async (_name, method, params, taskOf) => {
    for (const how of ['completed', 'asks'] as const) {
      drain();
      const started = new Promise<string>((resolve) => {
        const unwatch = opened.tasks.watch((task) => {
          unwatch();
          resolve(task.taskId);
        });
      });
      const reply = call(method, params);
      const id = await started;
      opened.tasks.start(id);
      if (how === 'asks') opened.tasks.setInputRequired(id, 'which?', () => undefined);
      else opened.tasks.finish(id, 'completed', { response: 'forty-two' });
      const task = taskOf((await reply).result as never) as { id: string; status: object; artifacts: object[] };
      expect(task).toMatchObject({
        id,
        status: { state: expect.stringMatching(how === 'asks' ? /input.required/i : /completed/i) },
        artifacts: [{ name: how === 'asks' ? 'prompt' : 'response' }],
      });
    }
  });

  it.each([
    ['v1 with returnImmediately', 'SendMessage', user(), {}],
    ['v03 without blocking', 'message/send', { ...older(), configuration: {} }, {}],
    ['a Murmur runtime, by its header', 'SendMessage', blocking, { 'x-murmur-audience': 'y' }],
    ['the Murmur dialect', 'message/send', message('x'), {}],
  ])('%s: at once', async (_name, method, params, headers) => {
    drain();
    const { result } = await call(method, params, headers as Record<string, string>);
    expect((result.task ?? result).status.state).toMatch(/submitted/i);
  });
});

describe('methods and errors (spec/door.md 6, 18)', () => {
  it('ends of a cancel: the task, then -32002 in both A2A dialects, the task again in the Murmur one', async () => {
    drain();
    const { result } = await call('SendMessage', user());
    const { id } = result.task;
    expect((await call('CancelTask', { id })).result.status.state).toBe('TASK_STATE_CANCELED');
    expect((await call('CancelTask', { id })).error).toMatchObject({
      code: -32002,
      message: 'Task cannot be canceled: it is already TASK_STATE_CANCELED',
      data: [{ reason: 'TASK_NOT_CANCELABLE', metadata: { taskId: id, state: 'TASK_STATE_CANCELED' } }],
    });
    const v03 = { 'a2a-version': '0.3' };
    expect((await call('tasks/cancel', { id }, v03)).error).toEqual({
      code: -32002,
      message: 'Task cannot be canceled: it is already canceled',
    });
    expect((await call('tasks/cancel', { id })).result.status.state).toBe('canceled');
  });

  it.each([
    ['CreateTaskPushNotificationConfig', -32003],
    ['tasks/pushNotificationConfig/set', -32003],
    ['tasks/pushNotificationConfig/list', -32003],
    ['GetExtendedAgentCard', -32004],
    ['agent/getAuthenticatedExtendedCard', -32007],
    ['SendStreamingMessage', -32601],
    ['tasks/resubscribe', -32601],
    ['constructor', -32601],
    ['__proto__', -32601],
  ])('%s answers %i at a public door without streams', async (method, code) => {
    expect((await call(method, {})).error.code).toBe(code);
  });

  it.each([
    ['GetTask', {}, -32602],
    ['GetTask', { id: 'nobody' }, -32001],
    ['GetTask', { id: 'nobody', historyLength: -1 }, -32001],
    ['ListTasks', { pageSize: 0 }, -32602],
    ['ListTasks', { pageSize: 101 }, -32602],
    ['ListTasks', { pageToken: 'made up' }, -32602],
    ['ListTasks', { pageToken: 'bWFkZSB1cA' }, -32602],
    ['ListTasks', { statusTimestampAfter: 'yesterday' }, -32602],
    ['ListTasks', { historyLength: -1 }, -32602],
    ['SendMessage', { ...user(), configuration: { historyLength: -1 } }, -32602],
  ])('%s with %j answers %i', async (method, params, code) => {
    expect((await call(method, params)).error.code).toBe(code);
  });

  it('history holds what was said, and only as much of it as was asked for', async () => {
    drain();
    const { id } = asking('which one?');
    await call('SendMessage', user([{ text: 'the first' }], { taskId: id, messageId: 'm2' }));
    const texts = (task: { history?: { parts: { text: string }[] }[] }) =>
      task.history?.map(({ parts }) => parts[0]!.text);
    expect(texts((await call('GetTask', { id })).result)).toEqual(['begin', 'which one?', 'the first']);
    expect(texts((await call('GetTask', { id, historyLength: 1 })).result)).toEqual(['the first']);
    expect(texts((await call('GetTask', { id, historyLength: 0 })).result)).toBeUndefined();
    expect((await call('GetTask', { id })).result.history[1]).toMatchObject({ role: 'ROLE_AGENT', taskId: id });
    expect(texts((await call('tasks/get', { id })).result)).toBeUndefined();
    expect(texts((await call('tasks/get', { id, historyLength: 2 })).result)).toEqual(['which one?', 'the first']);
  });

  it.each([
    [{ 'x-murmur-completion-session': 'ses_x' }, -31001, 'COMPLETION_MISADDRESSED', { addressedSession: 'ses_x' }],
  ])('a completion that is not awaited says so in A2A 1.0 words', async (headers, code, reason, metadata) => {
    const { error } = await call('SendMessage', user(), { 'x-murmur-task-origin': 'completion', ...headers });
    expect(error).toMatchObject({ code, data: [{ reason, domain: 'murmur.nexus', metadata }] });
  });
});

describe('ListTasks (spec/door.md 6)', () => {
  it('pages through every task once, newest change first, whatever the page size', async () => {
    const total = opened.tasks.list().length;
    expect(total).toBeGreaterThan(5);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 3, max: 100 }), async (pageSize) => {
        const seen: { id: string; status: { timestamp: string } }[] = [];
        let pageToken = '';
        do {
          const { result } = await call('ListTasks', { pageSize, pageToken });
          expect(result).toMatchObject({ pageSize, totalSize: total });
          expect(result.tasks.length).toBeLessThanOrEqual(pageSize);
          seen.push(...result.tasks);
          pageToken = result.nextPageToken;
        } while (pageToken !== '');
        expect(seen).toHaveLength(total);
        expect(new Set(seen.map(({ id }) => id)).size).toBe(total);
        const times = seen.map(({ status }) => status.timestamp);
        expect(times).toEqual([...times].sort().reverse());
      }),
      { numRuns: 5 },
    );
  });

  it('filters by context, state and time; a word A2A does not have filters nothing', async () => {
    drain();
    await call('SendMessage', user(undefined, { contextId: 'mine' }));
    const list = async (params: object) => (await call('ListTasks', params)).result.tasks;
    expect(await list({ contextId: 'mine' })).toHaveLength(1);
    expect(await list({ contextId: 'mine', status: 'TASK_STATE_SUBMITTED' })).toHaveLength(1);
    expect(await list({ contextId: 'mine', status: 'TASK_STATE_COMPLETED' })).toEqual([]);
    expect(await list({ contextId: 'mine', status: 'TASK_STATE_AUTH_REQUIRED' })).toEqual([]);
    expect(await list({ contextId: 'mine', status: 'UNRECOGNIZED' })).toHaveLength(1);
    expect(await list({ contextId: 'mine', statusTimestampAfter: '2999-01-01T00:00:00Z' })).toEqual([]);
    const unset = { contextId: null, status: null, pageSize: null, pageToken: null, statusTimestampAfter: null };
    expect(await list(unset)).toEqual(await list({}));
  });

  it('ends a page early where tasks hold much text, and shows each once all the same', async () => {
    drain();
    const long = { contextId: 'long' };
    for (let sent = 0; sent < 4; sent += 1) await call('SendMessage', user([{ text: 'x'.repeat(1_500_000) }], long));
    const pages: number[] = [];
    const seen = new Set<string>();
    let pageToken = '';
    do {
      const { result } = await call('ListTasks', { ...long, pageToken });
      pages.push(result.tasks.length);
      for (const { id } of result.tasks) seen.add(id);
      pageToken = result.nextPageToken;
    } while (pageToken !== '');
    expect(pages).toEqual([2, 2]);
    expect(seen.size).toBe(4);
    expect((await call('ListTasks', { ...long, historyLength: 0 })).result.tasks).toHaveLength(4);
  });
});

describe('a request for a stream', () => {
  it('is handed over read and checked, in the frames it asked for', async () => {
    const calls: { frames: string; id: unknown; kind: string }[] = [];
    const streams: NonNullable<Parameters<typeof open>[1]>['streams'] = {
      open(_request, response, { frames, id, wish }) {
        const started = wish.kind === 'start' ? wish.start() : undefined;
        calls.push({ frames, id, kind: wish.kind });
        response.end(JSON.stringify(started ?? {}));
      },
    };
    const other = await open({}, { streams });
    try {
      const ask = (method: string, params: unknown, headers = {}) => rpc(other.door.port, method, params, headers);
      await ask('stream/watch', {});
      const task = await ask('SendStreamingMessage', user());
      expect(task).toMatchObject({ state: 'submitted' });
      await ask('SendStreamingMessage', user(), { 'a2a-extensions': `https://other, ${streamExtension}` });
      await ask('message/stream', older());
      await ask('message/stream', message('x'));
      await ask('SubscribeToTask', { id: task.taskId });
      await ask('tasks/resubscribe', { id: 'nobody' });
      await ask('message/stream', { message: {} });
      expect(calls.map(({ frames, kind }) => `${frames} ${kind}`)).toEqual([
        'mur watch',
        'v1 start',
        'mur start',
        'v03 start',
        'mur start',
        'v1 subscribe',
        'v03 refused',
        'mur refused',
      ]);
      expect(calls.every(({ id }) => id === 1)).toBe(true);
    } finally {
      await other.door.close();
    }
  });
});

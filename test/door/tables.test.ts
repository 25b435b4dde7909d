/**
 * The tables of spec/door.md, row by row, each under its section and row. What a table says of streams is in test/door/stream, of
 * authentication in test/door/auth, of message shapes and routing in dialects.test.ts, of the envelope in murmur.test.ts.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DoorAuth } from '../../src/door/index.js';
import { http, message, type OpenedDoor, open, raw, rpc, sessionId } from './client.js';

let opened: OpenedDoor;
beforeEach(async () => {
  opened = await open({ queueDepth: 8 });
});
afterEach(() => opened.door.close());

type Headers = Record<string, string>;
const call = (method: string, params?: unknown, headers?: Headers) => rpc(opened.door.port, method, params, headers);
const v1 = (extra: object = {}, configuration: object = { returnImmediately: true }) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }], ...extra },
  configuration,
});
const v03 = (extra: object = {}) => ({
  message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }], ...extra },
});
/** How each dialect sends, gets and cancels. An older `tasks/...` has its version in a header, or is a Murmur one. */
const dialects = {
  v1: { send: 'SendMessage', get: 'GetTask', cancel: 'CancelTask', params: v1, headers: {} as Headers },
  v03: {
    send: 'message/send',
    get: 'tasks/get',
    cancel: 'tasks/cancel',
    params: v03,
    headers: { 'a2a-version': '0.3' },
  },
  mur: {
    send: 'message/send',
    get: 'tasks/get',
    cancel: 'tasks/cancel',
    params: () => message('x'),
    headers: {} as Headers,
  },
} as const;
type Name = keyof typeof dialects;
const names = Object.keys(dialects) as Name[];
const send = async (name: Name) => {
  const { error, result } = await call(dialects[name].send, dialects[name].params(), dialects[name].headers);
  return { error, task: result?.task ?? result };
};
const get = async (name: Name, id: string) => (await call(dialects[name].get, { id }, dialects[name].headers)).result;
const cancel = (name: Name, id: string) => call(dialects[name].cancel, { id }, dialects[name].headers);
const word = (name: Name, state: string) =>
  name === 'v1' ? `TASK_STATE_${state.toUpperCase().replace('-', '_')}` : state;

describe('0. dialects', () => {
  it.each([undefined, '', '0.3', '0.3.7', '1.0', '1.0.1'])(
    'row 1: a 1.0 method is v1 under version %j',
    async (version) => {
      const headers = version === undefined ? {} : { 'a2a-version': version };
      expect((await call('SendMessage', v1(), headers)).result.task.status.state).toBe('TASK_STATE_SUBMITTED');
    },
  );

  it('row 2: session/stop is mur, whatever the version', async () => {
    const stopped = await call('session/stop', {}, { 'a2a-version': '1.0' });
    expect(stopped.result).toEqual({ canceled: [], residue: [] });
  });

  it.each(['message/send', 'tasks/get', 'tasks/resubscribe'])(
    'row 3: %s under version 1.0 is nobody’s',
    async (method) => {
      const { error } = await call(method, message('x'), { 'a2a-version': '1.0' });
      expect(error).toEqual({ code: -32601, message: 'Method not found' });
    },
  );

  it.each([
    ['message.kind', 'message/send', v03({ role: 'ROLE_USER' }), {}, 'Invalid params: message.role must be user'],
    [
      'configuration',
      'message/send',
      { ...message('x'), configuration: {} },
      {},
      'Invalid params: message.parts[0].kind must be text, data or file',
    ],
    [
      'a task named beside parts of a kind',
      'message/send',
      { message: { messageId: 'm', role: 'user', taskId: 'tsk_x', parts: [{ kind: 'text', text: 'x' }] } },
      {},
      'Task not found',
    ],
    ['version 0.3', 'tasks/get', {}, { 'a2a-version': '0.3' }, 'GetTask requires an id'],
    [
      'a method of its own',
      'tasks/pushNotificationConfig/get',
      {},
      {},
      'Push notification is not supported: follow a task on its stream',
    ],
  ])('row 4: %s makes it v03', async (_why, method, params, headers, text) => {
    expect((await call(method, params, headers as Headers)).error.message).toBe(text);
  });

  it('row 5: anything else is mur', async () => {
    const bare = { messageId: 'm', role: 'anybody', parts: [{ text: 'x' }] };
    expect((await call('message/send', bare)).result.status.state).toBe('submitted');
    expect((await call('tasks/get')).result.status.state).toBe('submitted');
  });

  it.each(['2.0', '1.1', '0.4', '1', 'x'])('a 1.0 method under version %s is -32009', async (version) => {
    expect((await call('GetTask', { id: 'x' }, { 'a2a-version': version })).error).toEqual({
      code: -32009,
      message: `A2A version '${version}' is not supported; this agent speaks 1.0 and 0.3`,
      data: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'VERSION_NOT_SUPPORTED',
          domain: 'a2a-protocol.org',
          metadata: { requestedVersion: version, supportedVersions: '1.0, 0.3' },
        },
      ],
    });
  });

  it('a 1.0 method under two version lines is -32009, and names both', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } });
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const answer = await raw(opened.door.port, `${head}A2A-Version: 1.0\r\nA2A-Version: 1.0\r\n\r\n${body}`, false);
    expect(answer).toContain('"requestedVersion":"1.0, 1.0"');
  });
});

describe('3.3, 3.4 cards', () => {
  const bearer = new DoorAuth({ scheme: 'bearer', credentials: [] });
  const operator = { authorization: `Bearer ${bearer.operator.reveal()}` };

  it.each(
    (['none', 'single', 'queue'] as const).flatMap((acceptance) => [
      [acceptance, 'public'] as const,
      [acceptance, 'bearer'] as const,
    ]),
  )('acceptance %s, %s door', async (acceptance, lock) => {
    const other = await open({ acceptance }, lock === 'bearer' ? { auth: bearer } : {});
    try {
      const card = JSON.parse((await http(other.door.port, { path: '/.well-known/agent-card.json' })).text);
      expect(
        card.supportedInterfaces.filter(
          ({ protocolBinding }: { protocolBinding: string }) => protocolBinding === 'JSONRPC',
        ),
      ).toEqual(
        ['1.0', '0.3'].map((protocolVersion) => ({ url: card.url, protocolBinding: 'JSONRPC', protocolVersion })),
      );
      expect(card).toMatchObject({
        protocolVersion: '0.3.0',
        preferredTransport: 'JSONRPC',
        url: `http://localhost:${other.door.port}`,
      });
      expect(card.skills).toHaveLength(acceptance === 'none' ? 0 : 1);
      const isPublic = lock === 'public';
      expect(['session_id', 'serves'].map((key) => key in card)).toEqual([isPublic, isPublic]);
      expect(['tools', 'shell', 'network', 'cancellation'].map((key) => key in card.capabilities)).toEqual(
        Array(4).fill(isPublic),
      );
      expect(card.capabilities.extendedAgentCard).toBe(!isPublic);
      expect(card.supportsAuthenticatedExtendedCard).toBe(!isPublic);
      expect(card.securitySchemes).toEqual(
        isPublic ? {} : { bearer: expect.objectContaining({ type: 'http', scheme: 'Bearer' }) },
      );
      expect(card.capabilities.pushNotifications).toBe(false);
    } finally {
      await other.door.close();
    }
  });

  it('the extended card: any token reads it, in the shape of its dialect; an open door has none', async () => {
    expect((await call('GetExtendedAgentCard')).error).toMatchObject({
      code: -32004,
      data: [{ reason: 'UNSUPPORTED_OPERATION' }],
    });
    for (const headers of [{}, { 'a2a-version': '0.3' }] as Headers[]) {
      expect((await call('agent/getAuthenticatedExtendedCard', {}, headers)).error).toEqual({
        code: -32007,
        message: 'Authenticated Extended Card is not configured',
      });
    }
    const locked = await open({}, { auth: bearer });
    try {
      const ask = async (method: string) => (await rpc(locked.door.port, method, undefined, operator)).result;
      expect((await ask('GetExtendedAgentCard')).supportedInterfaces.length).toBeGreaterThan(1);
      const older = await ask('agent/getAuthenticatedExtendedCard');
      expect(older).toMatchObject({
        protocolVersion: '0.3.0',
        preferredTransport: 'JSONRPC',
        security: [{ bearer: [] }],
      });
      expect(older).not.toHaveProperty('supportedInterfaces');
    } finally {
      await locked.door.close();
    }
  });
});

describe('6. methods', () => {
  it.each(names)('%s: under acceptance none a send is -32601, the rest is served', async (name) => {
    const closed = await open({ acceptance: 'none' });
    try {
      const { send: method, params, headers, get: read } = dialects[name];
      expect((await rpc(closed.door.port, method, params(), headers)).error.code).toBe(-32601);
      expect((await rpc(closed.door.port, read, { id: 'tsk' }, headers)).error.code).toBe(-32001);
    } finally {
      await closed.door.close();
    }
  });

  it.each(['sendMessage', 'SENDMESSAGE', 'SendMessage ', 'message/Send', 'tasks/list', 'ListTask'])(
    '%j is no name of a method',
    async (name) => {
      expect((await call(name, message('x'))).error).toEqual({ code: -32601, message: 'Method not found' });
    },
  );
});

describe('6.1 the task object', () => {
  const begin = async (name: Name) => {
    const { task } = await send(name);
    opened.tasks.start(task.id);
    return String(task.id);
  };

  it.each(names)('%s: id, contextId, state and a time, always', async (name) => {
    const { task } = await send(name);
    const shown = await get(name, task.id);
    expect(shown).toMatchObject({
      id: task.id,
      contextId: expect.stringMatching(/^ctx_/),
      status: { state: word(name, 'submitted') },
    });
    expect(new Date(shown.status.timestamp).toISOString()).toBe(shown.status.timestamp);
    expect(shown.status).not.toHaveProperty('message');
    expect(shown).not.toHaveProperty('artifacts');
    expect('kind' in shown).toBe(name !== 'v1');
  });

  it.each(names)('%s: what the end said is in the status, the answer is the artifact response', async (name) => {
    const id = await begin(name);
    opened.tasks.finish(id, 'completed', { response: 'forty-two' });
    const shown = await get(name, id);
    const part = name === 'v1' ? { text: 'forty-two', mediaType: 'text/plain' } : { kind: 'text', text: 'forty-two' };
    expect(shown.artifacts).toEqual([{ artifactId: 'response', name: 'response', parts: [part] }]);
    expect(shown.status.message).toMatchObject({
      messageId: `msg_${id}_status`,
      role: name === 'v1' ? 'ROLE_AGENT' : 'agent',
      parts: [{ text: 'session ended' }],
      ...(name === 'v1' ? { contextId: shown.contextId, taskId: id } : {}),
    });
  });

  it.each(names)('%s: a question is the artifact prompt and in the status, until it is answered', async (name) => {
    const id = await begin(name);
    opened.tasks.setInputRequired(id, 'which?', () => undefined);
    const asking = await get(name, id);
    expect(asking.artifacts).toMatchObject([{ artifactId: 'prompt', name: 'prompt', parts: [{ text: 'which?' }] }]);
    expect(asking.status).toMatchObject({
      state: word(name, 'input-required'),
      message: { parts: [{ text: 'which?' }] },
    });
    opened.tasks.deliverInput(id, 'that');
    const working = await get(name, id);
    expect(working.status.state).toBe(word(name, 'working'));
    expect([working.artifacts, working.status.message]).toEqual([undefined, undefined]);
  });

  it.each(['v1', 'v03'] as const)('%s: GetTask requires an id', async (name) => {
    for (const params of [{}, { id: '' }, { id: 7 }, { id: null }]) {
      const { error } = await call(dialects[name].get, params, dialects[name].headers);
      expect(error).toEqual({ code: -32602, message: 'GetTask requires an id' });
    }
  });
});

describe('12. rejection', () => {
  it.each(names.flatMap((name) => [[name, 'busy'] as const, [name, 'closing'] as const]))(
    '%s, %s: a rejected task, no error',
    async (name, why) => {
      await opened.door.close();
      opened = await open({ queueDepth: 0 });
      if (why === 'closing') opened.tasks.close();
      const { task, error } = await send(name);
      expect(error).toBeUndefined();
      const text = why === 'busy' ? 'task rejected: capsule is busy' : 'task rejected: the session is closing';
      expect(task.status).toMatchObject({ state: word(name, 'rejected'), message: { parts: [{ text }] } });
      expect((await get(name, task.id)).status.state).toBe(word(name, 'rejected'));
    },
  );
});

describe('13. completions', () => {
  const origin = { 'x-murmur-task-origin': 'completion' };
  const here = { ...origin, 'x-murmur-completion-session': sessionId };
  const nobody =
    'completion names no delegation in x-murmur-delegation-id, so no task in this session is waiting for it';

  it.each([
    [
      'addressed to another session',
      { ...origin, 'x-murmur-completion-session': 'ses_x' },
      -31001,
      'COMPLETION_MISADDRESSED',
      { addressedSession: 'ses_x' },
      'completion is addressed to session ses_x, which is not the session running here',
    ],
    [
      'addressed to none',
      origin,
      -31001,
      'COMPLETION_MISADDRESSED',
      { addressedSession: '' },
      'completion is addressed to session , which is not the session running here',
    ],
    ['no delegation named', here, -31002, 'COMPLETION_NOT_AWAITED', { delegationId: '' }, nobody],
    [
      'none waiting',
      { ...here, 'x-murmur-delegation-id': 'dlg_1' },
      -31002,
      'COMPLETION_NOT_AWAITED',
      { delegationId: 'dlg_1' },
      'no task in this session is waiting for delegation dlg_1',
    ],
  ])(
    '%s: -31001 or -31002 in v1, -32004 with the same text before',
    async (_row, headers, code, reason, metadata, text) => {
      const { error } = await call('SendMessage', v1(), headers as Headers);
      expect(error).toMatchObject({ code, message: text, data: [{ reason, domain: 'murmur.nexus', metadata }] });
      for (const params of [message('x'), v03()]) {
        expect((await call('message/send', params, headers as Headers)).error).toEqual({ code: -32004, message: text });
      }
      expect(opened.tasks.list()).toEqual([]);
    },
  );

  it.each(['GetTask', 'tasks/get', 'message/stream', 'SendStreamingMessage'])(
    'other method: %s is -32601',
    async (method) => {
      expect((await call(method, { id: 'x' }, here)).error.code).toBe(-32601);
    },
  );
});

describe('14. cancel', () => {
  it.each(names)('%s: a queued task and a running one, each with its text', async (name) => {
    const queued = (await send(name)).task.id;
    expect((await cancel(name, queued)).result.status).toMatchObject({
      state: word(name, 'canceled'),
      message: { parts: [{ text: 'task canceled before it started' }] },
    });
    const running = (await send(name)).task.id;
    opened.tasks.start(running);
    expect((await cancel(name, running)).result.status.message.parts[0].text).toBe('task canceled');
    const again = await cancel(name, running);
    if (name === 'mur') expect(again.result.status.state).toBe('canceled');
    else {
      expect(again.error).toMatchObject({
        code: -32002,
        message: `Task cannot be canceled: it is already ${word(name, 'canceled')}`,
      });
    }
    expect((await cancel(name, 'tsk_nobody')).error).toMatchObject({ code: -32001, message: 'Task not found' });
  });
});

describe('18. errors', () => {
  const file = [{ kind: 'file', file: { mimeType: 'image/png' } }];
  it.each([
    ['-32601', 'v1', 'Nothing', {}],
    ['-32601', 'mur', 'nothing/at-all', {}],
    ['-32602', 'v1', 'SendMessage', {}],
    ['-32602', 'v03', 'message/send', { configuration: {} }],
    ['-32602', 'mur', 'message/send', {}],
    ['-32001', 'v1', 'GetTask', { id: 'x' }],
    ['-32001', 'v03', 'tasks/get', { id: 'x' }],
    ['-32001', 'mur', 'tasks/get', { id: 'x' }],
    ['-32003', 'v1', 'CreateTaskPushNotificationConfig', {}],
    ['-32003', 'v1', 'GetTaskPushNotificationConfig', {}],
    ['-32003', 'v1', 'ListTaskPushNotificationConfigs', {}],
    ['-32003', 'v1', 'DeleteTaskPushNotificationConfig', {}],
    ['-32003', 'v03', 'tasks/pushNotificationConfig/set', {}],
    ['-32003', 'v03', 'tasks/pushNotificationConfig/delete', {}],
    ['-32004', 'v1', 'GetExtendedAgentCard', {}],
    ['-32005', 'v1', 'SendMessage', v1({ parts: [{ raw: 'AA==' }] })],
    ['-32005', 'v03', 'message/send', v03({ parts: file })],
    ['-32007', 'v03', 'agent/getAuthenticatedExtendedCard', {}],
    ['-32007', 'mur', 'agent/getAuthenticatedExtendedCard', {}],
  ] as const)('%s in %s: %s', async (code, name, method, params) => {
    const { error } = await call(method, params, name === 'v1' ? {} : dialects[name].headers);
    expect(error.code).toBe(Number(code));
    // Only 1.0 says why in a word, and only of what is A2A's own.
    const info = name === 'v1' && Number(code) > -32100;
    expect(error.data?.[0]['@type']).toBe(info ? 'type.googleapis.com/google.rpc.ErrorInfo' : undefined);
  });
});

describe('19. where mur deviates', () => {
  it.each([
    ['1: no kind is asked for', () => message('x')],
    ['10: any role', () => message('x', { role: 'whoever' })],
    [
      '11: a part of another kind is skipped',
      () => message('x', { parts: [{ kind: 'file', file: {} }, { data: 1 }, { text: 'x' }] }),
    ],
  ])('row %s', async (_row, params) => {
    expect((await call('message/send', params())).result.status.state).toBe('submitted');
    expect(opened.tasks.next()?.text).toBe('x');
  });

  it('rows 2, 13: what it answers has ids and times all the same', async () => {
    const { task } = await send('mur');
    opened.tasks.start(task.id);
    opened.tasks.finish(task.id, 'completed', { response: 'y' });
    expect(await get('mur', task.id)).toMatchObject({
      kind: 'task',
      status: { timestamp: expect.any(String) },
      artifacts: [{ artifactId: 'response' }],
    });
  });

  it('rows 5, 6, 7: a send answers at once, no id means the active task, an ended one is answered to a cancel', async () => {
    const { task } = await send('mur');
    expect((await call('tasks/get')).result.id).toBe(task.id);
    await cancel('mur', task.id);
    expect((await cancel('mur', task.id)).result.id).toBe(task.id);
  });

  it('row 8: a message goes to whichever task waits, whatever it names', async () => {
    const { task } = await send('mur');
    const replies: string[] = [];
    opened.tasks.start(task.id);
    opened.tasks.setInputRequired(task.id, 'which?', (text) => replies.push(text));
    expect((await call('message/send', message('that', { taskId: 'tsk_other' }))).result.id).toBe(task.id);
    expect(replies).toEqual(['that']);
  });
});

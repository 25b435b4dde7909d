import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isId } from '../../src/supervise/ids.js';
import { cardInput, message, type OpenedDoor, open, portOf, post, rpc, sessionId } from './client.js';

let opened: OpenedDoor;
const call = (method: string, params?: unknown, headers?: Record<string, string>) =>
  rpc(opened.door.port, method, params, headers);

beforeEach(async () => {
  opened = await open();
});
afterEach(async () => {
  await opened.door.close();
});

describe('message/send', () => {
  it('answers the new task at once, with ids minted here and the caller context kept', async () => {
    const { result } = await call('message/send', message('hello', { contextId: 'my-context' }));
    expect(result).toMatchObject({ kind: 'task', contextId: 'my-context', status: { state: 'submitted' } });
    expect(isId('tsk', result.id)).toBe(true);
    expect(new Date(result.status.timestamp).toISOString()).toBe(result.status.timestamp);
  });

  it('mints a context when the message names none', async () => {
    const { result } = await call('message/send', message('hello'));
    expect(isId('ctx', result.contextId)).toBe(true);
  });

  it('takes a bare message as params, joins text parts and skips the others', async () => {
    const params = { messageId: 'm', role: 'anyone', parts: [{ text: 'a' }, { data: {} }, { text: 'b' }] };
    await call('message/send', params);
    expect(opened.tasks.next()?.text).toBe('a\nb');
  });

  it.each([
    ['no message', {}, 'message has no messageId'],
    ['no role', { message: { messageId: 'm', parts: [{ text: 'x' }] } }, 'message has no role'],
    ['empty parts', { message: { messageId: 'm', role: 'user', parts: [] } }, 'message.parts is empty'],
    ['parts no array', { message: { messageId: 'm', role: 'user', parts: 'x' } }, 'message.parts must be an array'],
    ['text no string', message('x', { parts: [{ text: 1 }] }), 'message.parts[0].text must be a string'],
    ['part no object', message('x', { parts: ['x'] }), 'message.parts[0] must be an object'],
    ['contextId no string', message('x', { contextId: 7 }), 'message.contextId must be a string'],
    ['message no object', { message: 'hello' }, 'message must be an object'],
  ])('refuses %s with -32602 and starts nothing', async (_name, params, why) => {
    const { error } = await call('message/send', params);
    expect(error).toEqual({ code: -32602, message: `Invalid params: ${why}` });
    expect(opened.tasks.list()).toEqual([]);
  });

  it('answers a rejected task, not an error, when there is no room', async () => {
    for (let index = 0; index < 4; index++) await call('message/send', message('x'));
    const { result } = await call('message/send', message('x'));
    expect(result.status).toMatchObject({
      state: 'rejected',
      message: {
        messageId: `msg_${result.id}_status`,
        parts: [{ kind: 'text', text: 'task rejected: capsule is busy' }],
      },
    });
  });

  it('hands a message to the task that waits for input', async () => {
    const { result: sent } = await call('message/send', message('begin'));
    const replies: string[] = [];
    opened.tasks.start(sent.id);
    opened.tasks.setInputRequired(sent.id, 'which one?', (text) => replies.push(text));
    const { result: asking } = await call('tasks/get', { id: sent.id });
    expect(asking.artifacts).toEqual([
      { artifactId: 'prompt', name: 'prompt', parts: [{ kind: 'text', text: 'which one?' }] },
    ]);
    const { result: resumed } = await call('message/send', message('the first'));
    expect(resumed).toMatchObject({ id: sent.id, status: { state: 'working' } });
    expect(replies).toEqual(['the first']);
  });

  it('two sends a moment apart are two tasks and never run at once', async () => {
    const sends = await Promise.all([call('message/send', message('a')), call('message/send', message('a'))]);
    expect(new Set(sends.map(({ result }) => result.id)).size).toBe(2);
    opened.tasks.start(opened.tasks.next()!.taskId);
    expect(opened.tasks.next()).toBeUndefined();
  });

  it('a plain caller is an untrusted event, whatever it claims; a consented peer keeps its trust', async () => {
    await call('message/send', message('x'), { 'x-murmur-task-origin': 'user', 'x-murmur-task-trust': 'trusted' });
    expect(opened.tasks.next()).toMatchObject({ origin: 'event', trust: 'untrusted' });
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    const peers = await open({}, { card: { ...cardInput, acceptsPeerTasks: true } });
    try {
      const headers = { 'x-murmur-task-origin': 'peer', 'x-murmur-task-trust': 'trusted', traceparent };
      await rpc(peers.door.port, 'message/send', message('x'), headers);
      expect(peers.tasks.next()).toMatchObject({ origin: 'peer', trust: 'trusted', traceparent });
    } finally {
      await peers.door.close();
    }
  });

  it('refuses to forget a harness session, since none is kept', async () => {
    const { error } = await call('message/send', message('x'), { 'x-murmur-forget-session': 'true' });
    expect(error.code).toBe(-32602);
  });

  it('is not served under acceptance none, while the other methods are', async () => {
    const none = await open({ acceptance: 'none' });
    try {
      expect((await rpc(none.door.port, 'message/send', message('x'))).error.code).toBe(-32601);
      expect((await rpc(none.door.port, 'tasks/get')).error.code).toBe(-32001);
    } finally {
      await none.door.close();
    }
  });
});

describe('tasks/get', () => {
  it('without an id answers the active task, and -32001 when there never was one', async () => {
    expect((await call('tasks/get')).error).toEqual({ code: -32001, message: 'Task not found' });
    const { result } = await call('message/send', message('x'));
    expect((await call('tasks/get', {})).result.id).toBe(result.id);
    expect((await call('tasks/get', { id: null })).result.id).toBe(result.id);
  });

  it('shows the answer of a completed task as the artifact response', async () => {
    const { result } = await call('message/send', message('x'));
    opened.tasks.start(result.id);
    opened.tasks.finish(result.id, 'completed', { response: 'forty-two' });
    const { result: ended } = await call('tasks/get', { id: result.id });
    expect(ended).toMatchObject({
      status: { state: 'completed', message: { role: 'agent', parts: [{ text: 'session ended' }] } },
      artifacts: [{ artifactId: 'response', name: 'response', parts: [{ kind: 'text', text: 'forty-two' }] }],
    });
  });

  it.each([
    [{ id: 'tsk_unknown' }, -32001],
    [{ id: 7 }, -32602],
    [{ historyLength: -1 }, -32602],
    [[], -32602],
    ['x', -32602],
  ])('params %j answer %i', async (params, code) => {
    expect((await call('tasks/get', params)).error.code).toBe(code);
  });
});

describe('tasks/cancel', () => {
  it('cancels a waiting task and leaves an ended one as it is', async () => {
    const { result } = await call('message/send', message('x'));
    const { result: canceled } = await call('tasks/cancel', { id: result.id });
    expect(canceled.status).toMatchObject({
      state: 'canceled',
      message: { parts: [{ text: 'task canceled before it started' }] },
    });
    expect((await call('tasks/cancel', { id: result.id })).result).toEqual(canceled);
  });

  it('answers -32001 for an unknown id and -32602 without one', async () => {
    expect((await call('tasks/cancel', { id: 'tsk_x' })).error.code).toBe(-32001);
    expect((await call('tasks/cancel')).error.code).toBe(-32602);
  });

  it('names what still runs as the artifact residue', async () => {
    const residue = [{ kind: 'detached_shell', work_id: 'wrk_1' }];
    const port = portOf(opened.tasks);
    const shell = await open({}, { tasks: { ...port, cancel: (id) => ({ ...port.cancel(id)!, residue }) } });
    try {
      const { result } = await call('message/send', message('x'));
      const { result: canceled } = await rpc(shell.door.port, 'tasks/cancel', { id: result.id });
      expect(canceled.artifacts).toEqual([
        { artifactId: 'residue', name: 'residue', parts: [{ kind: 'text', text: JSON.stringify(residue[0]) }] },
      ]);
    } finally {
      await shell.door.close();
    }
  });
});

describe('session/stop', () => {
  it('cancels every live task and says so', async () => {
    const { result: first } = await call('message/send', message('x'));
    const { result: second } = await call('message/send', message('y'));
    expect((await call('session/stop', {})).result).toEqual({ canceled: [first.id, second.id], residue: [] });
  });

  it('is not served when the session does not offer it', async () => {
    const { stop: _stop, ...port } = portOf(opened.tasks);
    const other = await open({}, { tasks: port });
    try {
      expect((await rpc(other.door.port, 'session/stop')).error.code).toBe(-32601);
    } finally {
      await other.door.close();
    }
  });
});

describe('the session behind the door', () => {
  it('answers -32603 when a task could not be handed over, and goes on', async () => {
    const broken = await open(
      {},
      {
        tasks: {
          ...portOf(opened.tasks),
          send() {
            throw new Error('mailbox gone');
          },
        },
      },
    );
    try {
      const { error } = await rpc(broken.door.port, 'message/send', message('x'));
      expect(error).toEqual({ code: -32603, message: 'internal error: queue send failed' });
      expect((await rpc(broken.door.port, 'tasks/get')).error.code).toBe(-32001);
    } finally {
      await broken.door.close();
    }
  });
});

describe('completions', () => {
  const origin = { 'x-murmur-task-origin': 'completion' };

  it.each([
    [{}, 'completion is addressed to session , which is not the session running here'],
    [
      { 'x-murmur-completion-session': 'ses_x' },
      'completion is addressed to session ses_x, which is not the session running here',
    ],
    [
      { 'x-murmur-completion-session': sessionId },
      'completion names no delegation in x-murmur-delegation-id, so no task in this session is waiting for it',
    ],
    [
      { 'x-murmur-completion-session': sessionId, 'x-murmur-delegation-id': 'dlg_1' },
      'no task in this session is waiting for delegation dlg_1',
    ],
  ])('with %j is refused and becomes no task', async (headers, text) => {
    const { error } = await call('message/send', message('x'), { ...origin, ...headers });
    expect(error).toEqual({ code: -32004, message: text });
    expect(opened.tasks.list()).toEqual([]);
  });
});

describe('who speaks', () => {
  const standardMessage = message('x', { kind: 'message' });

  it.each([
    ['an A2A 1.0 method', 'SendMessage', message('x'), {}, -32602],
    ['an A2A 1.0 method of a version nobody speaks', 'GetTask', {}, { 'a2a-version': '2.0' }, -32009],
    ['a slash method with version 1.0', 'message/send', message('x'), { 'a2a-version': '1.0' }, -32601],
    ['a message with kind', 'message/send', standardMessage, {}, -32602],
    ['a request with configuration', 'message/send', { ...message('x'), configuration: {} }, {}, -32602],
    ['a slash method with version 0.3', 'tasks/get', {}, { 'a2a-version': '0.3' }, -32602],
    ['a method only A2A 0.3 has', 'tasks/resubscribe', {}, {}, -32601],
    ['a Murmur stream', 'stream/watch', {}, {}, -32601],
    ['an unknown method', 'Message/Send', {}, {}, -32601],
    ['a name with a space', 'tasks/get ', {}, {}, -32601],
  ])('%s answers the code of its dialect', async (_name, method, params, headers, code) => {
    expect((await call(method, params, headers as Record<string, string>)).error.code).toBe(code);
    expect(opened.tasks.list()).toEqual([]);
  });

  it('names the versions it was asked for and those it speaks', async () => {
    const { error } = await call('SendMessage', message('x'), { 'a2a-version': '9.9' });
    expect(error.message).toBe("A2A version '9.9' is not supported; this agent speaks 1.0 and 0.3");
    expect(error.data[0]).toMatchObject({
      reason: 'VERSION_NOT_SUPPORTED',
      metadata: { requestedVersion: '9.9', supportedVersions: '1.0, 0.3' },
    });
  });
});

describe('the envelope', () => {
  const send = async (body: string | Buffer, headers?: Record<string, string>) =>
    JSON.parse((await post(opened.door.port, body, headers)).text);

  it.each([
    ['not JSON', '{', null, -32700],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), null, -32700],
    ['a batch', '[]', null, -32600],
    ['a string', '"x"', null, -32600],
    ['no method', '{"jsonrpc":"2.0","id":7}', 7, -32600],
    ['no id', '{"jsonrpc":"2.0","method":"tasks/get"}', null, -32600],
    ['no id, and a method nobody has', '{"jsonrpc":"2.0","method":"message/ssend","params":{}}', null, -32601],
    ['no id, and a message that is none', '{"jsonrpc":"2.0","method":"message/send","params":{"":1}}', null, -32602],
    ['no id, and a 1.0 message that is none', '{"jsonrpc":"2.0","method":"SendMessage","params":{}}', null, -32602],
    ['no id with a task to get', '{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}', null, -32600],
    ['no id with no task to get', '{"jsonrpc":"2.0","method":"GetTask"}', null, -32602],
    ['another version and a message that is none', '{"jsonrpc":"aaa","method":"message/send"}', null, -32600],
    ['an object as id of a message that is none', '{"jsonrpc":"2.0","id":{},"method":"message/send"}', {}, -32600],
    ['no jsonrpc', '{"id":"a","method":"tasks/get"}', 'a', -32600],
    ['an id no dialect shares', '{"jsonrpc":"2.0","id":{"a":1}}', null, -32600],
    ['an object as id in A2A 1.0', '{"jsonrpc":"2.0","id":{},"method":"GetTask"}', {}, -32600],
    ['another version in A2A 1.0', '{"jsonrpc":"1.0","id":1,"method":"GetTask"}', 1, -32600],
  ])('%s is refused under the right id', async (_name, body, id, code) => {
    expect(await send(body)).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
  });

  it('a send without an id, well otherwise, starts nothing in any dialect and answers no stream', async () => {
    const standard = {
      message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] },
    };
    const first = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } };
    for (const [method, params] of [
      ['message/send', message('x')],
      ['message/send', standard],
      ['SendMessage', first],
    ]) {
      const answer = JSON.parse(
        (await post(opened.door.port, JSON.stringify({ jsonrpc: '2.0', method, params }))).text,
      );
      expect(answer).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'Request payload validation error' },
      });
    }
    expect(opened.tasks.list()).toEqual([]);
  });

  it('words a parse error as the version asked for does', async () => {
    expect((await send('{')).error.message).toBe('Parse error');
    expect((await send('{', { 'a2a-version': '1.0' })).error.message).toBe('Invalid JSON payload');
  });

  it.each([
    ['1.0', { a: [1] }],
    ['2.0', null],
    ['', 1.5],
  ])('the Murmur dialect takes jsonrpc %j and id %j', async (jsonrpc, id) => {
    const reply = await send(JSON.stringify({ jsonrpc, id, method: 'tasks/get', more: true }));
    expect(reply).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32001 } });
  });

  it('an id too deep to write back is none, and nothing is done under it', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const params = JSON.stringify(message('hello'));
    const reply = await send(`{"jsonrpc":"2.0","method":"message/send","id":${deep},"params":${params}}`);
    expect(reply).toMatchObject({ id: null, error: { code: -32600 } });
    expect(opened.tasks.list()).toEqual([]);
  });
});

/** The HTTP+JSON binding of A2A 1.0, route by route: what is answered, under which status, in which form. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DoorAuth } from '../../../src/door/index.js';
import { type HttpAnswer, type HttpQuestion, http, open, raw, rpc } from '../client.js';
import { openStage, type RestStage } from './stage.js';

let stage: RestStage;
let port: number;
beforeAll(async () => {
  stage = await openStage();
  port = stage.door.port;
});
afterAll(() => stage.close());

const json = { 'content-type': 'application/json' };
const said = (text: string, extra: object = {}) => ({
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }], ...extra },
});

async function ask(at: string, body?: unknown, headers: Record<string, string> = {}, door = port): Promise<HttpAnswer> {
  const [method, path] = at.split(' ') as [string, string];
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  if (text === undefined) return http(door, { method, path, headers });
  return http(door, { method, path, headers: { ...json, ...headers }, body: text });
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read freely in tests
const read = (answer: HttpAnswer): any => JSON.parse(answer.text);

async function start(text: string): Promise<string> {
  return read(await ask('POST /message:send', { ...said(text), configuration: { returnImmediately: true } })).task.id;
}

const reasonOf = (answer: HttpAnswer): unknown => read(answer).error.details[0]?.reason;

describe('an operation', () => {
  it('sends, and is answered when the task is over, in the type the protocol asks for', async () => {
    const answer = await ask('POST /message:send', said('hello'), { 'content-type': 'application/a2a+json' });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/a2a+json']);
    expect(read(answer)).toMatchObject({
      task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'hello' }] }] },
    });
  });

  it.each([
    ['*/*', 'application/a2a+json'],
    ['application/a2a+json, application/json', 'application/a2a+json'],
    ['application/json', 'application/json'],
    ['text/html', 'application/a2a+json'],
  ])('asked for %s is answered in %s', async (accept, type) => {
    expect((await ask('GET /tasks', undefined, { accept })).headers['content-type']).toBe(type);
    expect((await ask('GET /tasks/tsk_0', undefined, { accept })).headers['content-type']).toBe(type);
  });

  it('is the one JSON-RPC knows: both bindings answer with one task', async () => {
    const id = await start('the same');
    const { result } = await rpc(port, 'GetTask', { id });
    expect(read(await ask(`GET /tasks/${id}`))).toEqual(result);
    const listed = await rpc(port, 'ListTasks', { pageSize: 2, includeArtifacts: true });
    expect(read(await ask('GET /tasks?pageSize=2&includeArtifacts=true'))).toEqual(listed.result);
  });

  it('may be asked for under a tenant, and under the version of older texts', async () => {
    const id = await start('x');
    for (const prefix of ['/acme', '/v1']) {
      expect(read(await ask(`GET ${prefix}/tasks/${id}`)).id).toBe(id);
      expect((await ask(`GET ${prefix}/tasks`)).status).toBe(200);
      expect((await ask(`POST ${prefix}/message:send`, said('x'))).status).toBe(200);
    }
  });

  it('takes from the path what the body says otherwise', async () => {
    const [here, there] = [await start('wait'), await start('wait too')];
    expect(read(await ask(`POST /tasks/${here}:cancel`, { id: there })).id).toBe(here);
    expect(stage.tasks.get(there)!.state).not.toBe('canceled');
    expect(read(await ask(`POST /tasks/${there}:cancel`)).status.state).toBe('TASK_STATE_CANCELED');
  });

  it('with history shows as much of it as is wanted', async () => {
    const id = await start('hello');
    expect(read(await ask(`GET /tasks/${id}?historyLength=0`))).not.toHaveProperty('history');
    expect(read(await ask(`GET /tasks/${id}?historyLength=1`)).history).toHaveLength(1);
  });
});

describe('ListTasks', () => {
  it('takes every filter from the query', async () => {
    const contextId = 'ctx/with spaces&=?';
    const sent = read(await ask('POST /message:send', said('x', { contextId }))).task;
    const list = async (query: Record<string, string>) =>
      read(await ask(`GET /tasks?${new URLSearchParams({ contextId, ...query })}`)).tasks.length;
    expect(await list({})).toBe(1);
    expect(await list({ status: 'TASK_STATE_COMPLETED' })).toBe(1);
    expect(await list({ status: 'completed' })).toBe(1);
    expect(await list({ status: 'input-required' })).toBe(0);
    expect(await list({ status: 'UNRECOGNIZED' })).toBe(1);
    expect(await list({ statusTimestampAfter: sent.status.timestamp })).toBe(1);
    expect(await list({ statusTimestampAfter: '2099-01-01T00:00:00Z' })).toBe(0);
    expect(await list({ pageToken: '' })).toBe(1);
    expect(await list({ unknown: 'x' })).toBe(1);
  });
});

const push = '/tasks/tsk_1/pushNotificationConfigs';

describe('an error is a status, and says which it is', () => {
  const malformed = [400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'];
  const noPush = [400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED'];
  const badType = [400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'];
  const badVersion = [400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'];
  const unsupported = [400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'];
  const unknownTask = [404, 'NOT_FOUND', 'TASK_NOT_FOUND'];

  it.each([
    ['a task nobody has', 'GET /tasks/tsk_0', undefined, {}, unknownTask],
    ['a task id that is no text', 'GET /tasks/%ff%zz', undefined, {}, unknownTask],
    ['a cancel of a task nobody has', 'POST /tasks/tsk_0:cancel', undefined, {}, unknownTask],
    ['a message to a task nobody has', 'POST /message:send', said('x', { taskId: 'tsk_0' }), {}, unknownTask],
    ['a stream of a task nobody has', 'GET /tasks/tsk_0:subscribe', undefined, {}, unknownTask],
    ['the same by POST', 'POST /tasks/tsk_0:subscribe', undefined, { accept: 'text/event-stream' }, unknownTask],
    ['a body that is no JSON', 'POST /message:send', '{', {}, malformed],
    [
      'a body that is no UTF-8',
      'POST /message:send',
      Buffer.from([0x22, 0xff, 0x22]).toString('latin1'),
      {},
      malformed,
    ],
    ['no body', 'POST /message:send', '', json, malformed],
    ['a body that is a list', 'POST /message:send', [], {}, malformed],
    ['a body that is null', 'POST /message:stream', 'null', {}, malformed],
    ['no message', 'POST /message:send', {}, {}, malformed],
    ['a message without parts', 'POST /message:send', said('x', { parts: [] }), {}, malformed],
    [
      'the same on a stream',
      'POST /message:stream',
      said('x', { parts: [] }),
      { accept: 'text/event-stream' },
      malformed,
    ],
    ['a role of 0.3', 'POST /message:send', said('x', { role: 'user' }), {}, malformed],
    ['a file', 'POST /message:send', said('x', { parts: [{ url: 'http://localhost/' }] }), {}, badType],
    ['a form', 'POST /message:send', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, badType],
    ['text from a form', 'POST /tasks/tsk_0:cancel', '{}', { 'content-type': 'text/plain' }, badType],
    ['no type', 'POST /message:stream', undefined, {}, badType],
    ['a page over its bound', 'GET /tasks?pageSize=101', undefined, {}, malformed],
    ['a page of none', 'GET /tasks?pageSize=0', undefined, {}, malformed],
    ['a page that is no number', 'GET /tasks?pageSize=1e1', undefined, {}, malformed],
    ['two pages', 'GET /tasks?pageSize=1&pageSize=1', undefined, {}, malformed],
    ['two contexts', 'GET /tasks?contextId=a&contextId=b', undefined, {}, malformed],
    ['a place nobody gave', 'GET /tasks?pageToken=abc', undefined, {}, malformed],
    ['a time that is none', 'GET /tasks?statusTimestampAfter=yesterday', undefined, {}, malformed],
    ['a negative history', 'GET /tasks?historyLength=-1', undefined, {}, malformed],
    ['an empty history length', 'GET /tasks?historyLength=', undefined, {}, malformed],
    ['A2A 0.3', 'GET /tasks', undefined, { 'a2a-version': '0.3' }, badVersion],
    ['A2A 2.0', 'POST /message:send', said('x'), { 'a2a-version': '2.0' }, badVersion],
    ['the extended card of a public door', 'GET /extendedAgentCard', undefined, {}, unsupported],
    ['a push configuration', `POST ${push}`, { url: 'http://localhost/' }, {}, noPush],
    ['reading one', `GET ${push}/c`, undefined, {}, noPush],
    ['reading all', `GET ${push}`, undefined, {}, noPush],
    ['removing one', `DELETE ${push}/c`, undefined, {}, noPush],
  ])('%s', async (_what, at, body, headers, expected) => {
    const before = stage.tasks.list().length;
    const answer = await ask(at, body, headers as Record<string, string>);
    const { error } = read(answer);
    expect([answer.status, error.status, reasonOf(answer)]).toEqual(expected);
    expect(answer.headers['content-type']).toBe('application/a2a+json');
    expect(error).toMatchObject({ code: answer.status, message: expect.stringMatching(/./) });
    expect(error.details).toEqual([
      expect.objectContaining({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'a2a-protocol.org' }),
    ]);
    expect(stage.tasks.list()).toHaveLength(before);
  });

  it('tasks that are over are canceled, followed and written to no more', async () => {
    const { id } = read(await ask('POST /message:send', said('x'))).task;
    const canceled = await ask(`POST /tasks/${id}:cancel`);
    expect([canceled.status, reasonOf(canceled)]).toEqual([400, 'TASK_NOT_CANCELABLE']);
    expect(read(canceled).error.details[0].metadata).toEqual({ taskId: id, state: 'TASK_STATE_COMPLETED' });
    for (const at of [`GET /tasks/${id}:subscribe`, `POST /tasks/${id}:subscribe`]) {
      const followed = await ask(at, undefined, { accept: 'text/event-stream' });
      expect([followed.status, reasonOf(followed)]).toEqual([400, 'UNSUPPORTED_OPERATION']);
    }
    const written = await ask('POST /message:send', said('more', { taskId: id }));
    expect([written.status, reasonOf(written)]).toEqual([400, 'UNSUPPORTED_OPERATION']);
  });

  it('a completion that nobody waits for starts nothing', async () => {
    const before = stage.tasks.list().length;
    const answer = await ask('POST /message:send', said('x'), { 'x-murmur-task-origin': 'completion' });
    expect([answer.status, reasonOf(answer)]).toEqual([400, 'COMPLETION_MISADDRESSED']);
    expect(stage.tasks.list()).toHaveLength(before);
  });

  it('a runtime is answered at once, as it counts on', async () => {
    const answer = await ask('POST /message:send', said('hello'), { 'x-murmur-delegation-id': 'dlg_1' });
    expect(read(answer).task.status.state).toBe('TASK_STATE_SUBMITTED');
  });

  it.each(['', '1.0', '1.0.3'])('version %j is served', async (version) => {
    expect((await ask('GET /tasks', undefined, { 'a2a-version': version })).status).toBe(200);
  });

  it('two versions are none', async () => {
    const lines = 'a2a-version: 1.0\r\na2a-version: 1.0\r\n';
    const text = await raw(port, `GET /tasks HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${lines}\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 400 .*VERSION_NOT_SUPPORTED/s);
  });
});

describe('a path', () => {
  it.each([
    ['GET /message:send', 'POST'],
    ['DELETE /tasks', 'GET'],
    ['POST /tasks/tsk_1', 'GET'],
    ['GET /tasks/tsk_1:cancel', 'POST'],
    ['PUT /tasks/tsk_1:subscribe', 'GET, POST'],
    [`DELETE ${push}`, 'GET, POST'],
    [`PUT ${push}/c`, 'GET, DELETE'],
    ['POST /extendedAgentCard', 'GET'],
  ])('takes no other verb: %s is answered 405', async (at, allow) => {
    const answer = await ask(at);
    expect([answer.status, answer.headers.allow, read(answer).error.code]).toEqual([405, allow, 405]);
  });

  it.each([
    'GET /message',
    'POST /message:sing',
    'POST /Message:send',
    'POST /message:send/',
    'POST /a/b/message:send',
    'GET /tasks/',
    'GET /tasks/a/b',
    'POST /tasks/tsk_1:rewind',
    'POST /tasks/:cancel',
    'GET /tasks/tsk_1/pushNotificationConfigs/c/d',
    'GET /skills',
    'POST /v1',
  ])('that is none of them is answered as any unknown one: %s', async (at) => {
    const answer = await ask(at);
    expect([answer.status, answer.text]).toEqual([404, '']);
  });

  it('refuses a body over the bound, and reads none it does not want', async () => {
    const narrow = await open({}, { limits: { bodyBytes: 10 } });
    try {
      expect((await ask('POST /message:send', said('x'), {}, narrow.door.port)).status).toBe(413);
      expect(
        (await ask('GET /tasks', 'x'.repeat(100_000), { 'content-length': '100000' }, narrow.door.port)).status,
      ).toBe(200);
    } finally {
      await narrow.door.close();
    }
  });
});

/** The `data:` lines of a stream, and whether any frame had an event type. */
function frames({ text }: HttpAnswer): unknown[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
}

describe('a stream', () => {
  it('holds bare objects: the whole task, pieces of the answer, the end', async () => {
    const answer = await ask('POST /message:stream', said('one two'));
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(answer.text).not.toMatch(/jsonrpc|^event:/m);
    const all = frames(answer) as Record<string, { status?: { state: string } }>[];
    expect(all.map((frame) => Object.keys(frame))).toEqual([
      ['task'],
      ['statusUpdate'],
      ['artifactUpdate'],
      ['artifactUpdate'],
      ['artifactUpdate'],
      ['statusUpdate'],
    ]);
    expect(all.at(-1)!.statusUpdate!.status!.state).toBe('TASK_STATE_COMPLETED');
  });

  it('resumes where it was left, each frame once', async () => {
    const whole = await ask('POST /message:stream', said('a b c'));
    const ids = [...whole.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    const { id } = (frames(whole)[0] as { task: { id: string } }).task;
    const cutAt = ids[2]!;
    const rest = await ask(`POST /tasks/${id}:subscribe`, undefined, { 'last-event-id': String(cutAt) });
    expect([...rest.text.matchAll(/^id: (\d+)$/gm)].map(([, at]) => Number(at)).filter((at) => at > cutAt)).toEqual(
      ids.filter((at) => at > cutAt),
    );
    expect(frames(rest).slice(1)).toEqual(frames(whole).slice(3));
  });

  it.each(['GET', 'POST'])('of a task at work can be joined by %s', async (verb) => {
    const id = await start('wait');
    const joined = ask(`${verb} /tasks/${id}:subscribe`, undefined, { accept: 'text/event-stream' });
    stage.tasks.cancel(id);
    const answer = await joined;
    // Who comes late is told so.
    if (answer.status === 400) expect(reasonOf(answer)).toBe('UNSUPPORTED_OPERATION');
    else expect(frames(answer).at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } });
  });

  it('ends with a question, and the reply goes on from there', async () => {
    const asked = frames(await ask('POST /message:stream', said('ask me')));
    const { taskId } = (asked.at(-1) as { statusUpdate: { taskId: string } }).statusUpdate;
    expect(asked.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
    const replied = frames(await ask('POST /message:stream', said('this one', { taskId })));
    expect(replied.at(-1)).toMatchObject({ statusUpdate: { taskId, status: { state: 'TASK_STATE_COMPLETED' } } });
  });
});

describe('what a door does not serve', () => {
  it('is refused by name where no task is taken', async () => {
    const { door } = await open({ acceptance: 'none' });
    try {
      const sent = await ask('POST /message:send', said('x'), {}, door.port);
      expect([sent.status, reasonOf(sent)]).toEqual([400, 'UNSUPPORTED_OPERATION']);
      expect((await ask('GET /tasks', undefined, {}, door.port)).status).toBe(200);
    } finally {
      await door.close();
    }
  });

  it('is refused by name where nothing streams', async () => {
    const { door } = await open();
    try {
      for (const at of ['POST /message:stream', 'POST /tasks/tsk_0:subscribe', 'GET /tasks/tsk_0:subscribe']) {
        const answer = await ask(at, at.startsWith('GET') ? undefined : said('x'), {}, door.port);
        expect([answer.status, reasonOf(answer)]).toEqual([400, 'UNSUPPORTED_OPERATION']);
      }
    } finally {
      await door.close();
    }
  });

  it('is an internal error when the session behind it fails, not a crash', async () => {
    const { door, tasks } = await open();
    try {
      tasks.list = () => {
        throw new Error('secret detail');
      };
      const answer = await ask('GET /tasks', undefined, {}, door.port);
      expect([answer.status, read(answer).error.status, answer.text.includes('secret')]).toEqual([
        500,
        'INTERNAL',
        false,
      ]);
    } finally {
      await door.close();
    }
  });
});

describe('a locked door (spec/door.md 2.1)', () => {
  const auth = new DoorAuth({
    scheme: 'bearer',
    credentials: [
      { name: 'reader', scopes: ['tasks/get'] },
      { name: 'streamer', scopes: ['message/stream'] },
    ],
  });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const owner = bearer(auth.operator.reveal());
  const reader = bearer(auth.credentials.reader!.reveal());
  const streamer = bearer(auth.credentials.streamer!.reveal());
  let locked: RestStage;
  const knock = (at: string, headers: Record<string, string>, body?: unknown) =>
    ask(at, body, headers, locked.door.port);
  beforeAll(async () => {
    locked = await openStage(auth);
  });
  afterAll(() => locked.close());

  it('lets nobody see what is a path before they show a token', async () => {
    const questions: HttpQuestion[] = [
      { path: '/tasks' },
      { path: '/nowhere' },
      { method: 'POST', path: '/message:send', headers: { 'content-type': 'text/plain' }, body: '{' },
      { method: 'PUT', path: '/tasks', headers: { 'x-murmur-task-origin': 'peer' } },
    ];
    for (const question of questions) {
      const answer = await http(locked.door.port, question);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="demo"']);
    }
  });

  it('asks for peer consent before it looks at the path', async () => {
    const peer = { 'x-murmur-task-origin': 'peer' };
    const [path, verb] = [
      await knock('GET /nowhere', { ...owner, ...peer }),
      await knock('PUT /tasks', { ...owner, ...peer }),
    ];
    expect([path.status, verb.status, verb.text]).toEqual([403, 403, path.text]);
    expect((await ask('GET /tasks', undefined, peer)).status).toBe(403);
  });

  it.each([
    ['GET /tasks', 'tasks/get', streamer],
    ['GET /tasks/tsk_0', 'tasks/get', streamer],
    ['POST /tasks/tsk_0:cancel', 'tasks/cancel', reader],
    ['POST /tasks/tsk_0:subscribe', 'message/stream', reader],
    ['GET /tasks/tsk_0:subscribe', 'message/stream', reader],
  ])('%s needs the scope %s, whatever else is wrong', async (at, scope, headers) => {
    const answer = await knock(`${at}?pageSize=0`.replace(/(POST.*)\?.*/, '$1'), headers);
    expect([answer.status, read(answer).error]).toEqual([403, 'insufficient_scope']);
    expect(answer.headers['www-authenticate']).toContain(`scope="${scope}"`);
  });

  it('the scope of a send comes after the JSON and the version, before the message', async () => {
    const at = 'POST /message:send';
    expect((await knock(at, reader, '{')).status).toBe(400);
    expect(reasonOf(await knock(at, { ...reader, 'a2a-version': '9.0' }, {}))).toBe('VERSION_NOT_SUPPORTED');
    expect((await knock(at, reader, {})).status).toBe(403);
    expect((await knock(at, reader, said('x'))).status).toBe(403);
    expect(locked.tasks.list()).toEqual([]);
  });

  it('gives each what its scopes reach, and the extended card to all of them', async () => {
    expect((await knock('GET /tasks', reader)).status).toBe(200);
    expect((await knock('POST /message:stream', streamer, said('x'))).status).toBe(200);
    expect(reasonOf(await knock('GET /tasks/tsk_0', reader))).toBe('TASK_NOT_FOUND');
    expect(reasonOf(await knock('POST /tasks/tsk_0:subscribe', streamer))).toBe('TASK_NOT_FOUND');
    for (const headers of [owner, reader, streamer]) {
      const card = await knock('GET /extendedAgentCard', headers);
      expect([card.status, card.text.includes('murmur-capsule-v1')]).toEqual([200, true]);
    }
  });
});

it.each([
  ['a foreign origin', { origin: 'http://evil.example' }, 403],
  ['a foreign host', { host: 'evil.example' }, 421],
])('%s is kept out of every path', async (_what, headers, status) => {
  for (const at of ['GET /tasks', 'POST /tasks/tsk_0:cancel', 'DELETE /nowhere']) {
    expect((await ask(at, undefined, headers as Record<string, string>)).status).toBe(status);
  }
});

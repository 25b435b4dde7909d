import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DoorAuth } from '../../../src/door/index.js';
import { cardInput, http, message, type OpenedDoor, open, post, raw } from '../client.js';

const auth = new DoorAuth({ scheme: 'bearer', credentials: [{ name: 'reader', scopes: ['tasks/get'] }] });
const operator = auth.operator.reveal();
const reader = auth.credentials.reader!.reveal();
let opened: OpenedDoor;
let port: number;
beforeAll(async () => {
  opened = await open({}, { auth });
  port = opened.door.port;
});
afterAll(() => opened.door.close());

const bearer = (token: string, scheme = 'Bearer') => ({ authorization: `${scheme} ${token}` });
const call = (method: string, params: unknown, headers: Record<string, string>) =>
  post(port, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers);
const invalid = {
  error: 'invalid_token',
  message: 'the Authorization header does not present a token this session minted',
};

describe('an authenticated door (spec/door.md 16.2)', () => {
  it('answers a request without the header 401, and says how to ask', async () => {
    const answer = await call('message/send', message('x'), {});
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="demo"');
    expect(JSON.parse(answer.text)).toEqual({
      error: 'unauthenticated',
      message: "this door takes a token this capsule's runtime minted, as Authorization: Bearer <token>",
    });
    expect(opened.tasks.list()).toEqual([]);
  });

  it.each([
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['a scheme and no token', 'Bearer'],
    ['text that is no token', 'Bearer tst1.abc'],
    ['a token of another session', `Bearer ${new DoorAuth({ scheme: 'bearer', credentials: [] }).operator.reveal()}`],
    ['a token in another case', `Bearer ${operator.toUpperCase()}`],
    ['two tokens in one header', `Bearer ${operator} ${operator}`],
    ['nothing', ''],
  ])('answers %s 401 invalid_token', async (_what, authorization) => {
    const answer = await call('tasks/get', {}, { authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="demo", error="invalid_token"');
    expect(JSON.parse(answer.text)).toEqual(invalid);
  });

  it('answers two Authorization headers 401, though both are right', async () => {
    const line = `Authorization: Bearer ${operator}\r\n`;
    const text = await raw(port, `GET /health HTTP/1.1\r\nHost: localhost:${port}\r\n${line}${line}\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(text).toContain('error="invalid_token"');
  });

  it.each(['Bearer', 'bearer', 'BEARER'])('takes a token whatever the case of %s', async (scheme) => {
    const answer = await call('message/send', message('x'), bearer(operator, scheme));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).result.id).toMatch(/^tsk_/);
  });

  it('answers 403 for a method the credential does not reach, and names the scope', async () => {
    const before = opened.tasks.list().length;
    const answer = await call('message/send', message('x'), bearer(reader));
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer realm="demo", error="insufficient_scope", scope="message/send"',
    );
    expect(JSON.parse(answer.text)).toEqual({
      error: 'insufficient_scope',
      message: "credential 'reader' does not reach message/send",
    });
    expect(opened.tasks.list()).toHaveLength(before);
  });

  it('limits methods, not tasks: a reader reads a task of somebody else', async () => {
    const { result } = JSON.parse((await call('message/send', message('x'), bearer(operator))).text);
    const answer = JSON.parse((await call('tasks/get', { id: result.id }, bearer(reader))).text);
    expect(answer.result.id).toBe(result.id);
  });

  it('lets the header that marks a completion widen nothing', async () => {
    const headers = { ...bearer(reader), 'x-murmur-task-origin': 'completion' };
    expect((await call('session/stop', {}, headers)).status).toBe(403);
  });
});

describe('the order of checks (spec/door.md 2.1)', () => {
  it('serves the card to everybody', async () => {
    for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json']) {
      expect((await http(port, { path })).status).toBe(200);
    }
  });

  it('401 comes before 404, before peer consent, before the body is parsed, and for health', async () => {
    const peer = { 'x-murmur-task-origin': 'peer' };
    for (const question of [
      { path: '/nowhere' },
      { path: '/health' },
      { path: '/resources/files/a' },
      { headers: peer },
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' },
    ]) {
      expect((await http(port, question)).status).toBe(401);
    }
  });

  it('with a token: peer consent before 404, 404 before the body, JSON-RPC errors before the scope', async () => {
    const headers = bearer(reader);
    expect((await http(port, { path: '/x', headers: { ...headers, 'x-murmur-task-origin': 'peer' } })).status).toBe(
      403,
    );
    expect((await http(port, { path: '/x', headers })).status).toBe(404);
    expect((await http(port, { path: '/health', headers })).status).toBe(200);
    expect(JSON.parse((await post(port, '{', headers)).text).error.code).toBe(-32700);
    expect(JSON.parse((await post(port, '[]', headers)).text).error.code).toBe(-32600);
    expect(JSON.parse((await call('tasks/rewind', {}, headers)).text).error.code).toBe(-32601);
    const newer = { ...headers, 'a2a-version': '9.0' };
    expect(JSON.parse((await call('SendMessage', {}, newer)).text).error.code).toBe(-32009);
  });

  it('the scope comes before the params are looked at', async () => {
    expect((await call('message/send', 7, bearer(reader))).status).toBe(403);
  });
});

it('a public door ignores Authorization', async () => {
  const door = await open();
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: message('x') });
    expect((await post(door.door.port, body, { authorization: 'Basic nonsense' })).status).toBe(200);
  } finally {
    await door.door.close();
  }
});

it('a realm is quoted, and loses what a header cannot carry', async () => {
  const door = await open({}, { auth, card: { ...cardInput, name: 'a "b" \\ ü\n' } });
  try {
    const answer = await http(door.door.port, { path: '/health' });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="a \\"b\\" \\\\ "');
  } finally {
    await door.door.close();
  }
});

import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isExposed, openDoor } from '../../src/door/index.js';
import { systemClock } from '../../src/supervise/clock.js';
import { cardInput, http, message, type OpenedDoor, open, portOf, post, raw, rpc, sessionId } from './client.js';

let opened: OpenedDoor;
let port: number;
beforeEach(async () => {
  opened = await open();
  port = opened.door.port;
});
afterEach(async () => {
  await opened.door.close();
});

const sendBody = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: message('x') });

describe('what is served', () => {
  it('tells its address as the running record keeps it', () => {
    expect(opened.door).toMatchObject({ url: `localhost:${port}`, address: '127.0.0.1' });
  });

  it('answers health with the session it belongs to', async () => {
    const answer = await http(port, { path: '/health?verbose=1' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ status: 'ok', session_id: sessionId });
  });

  it('serves one card at both well-known paths', async () => {
    const first = await http(port, { path: '/.well-known/agent-card.json' });
    const second = await http(port, { path: '/.well-known/agent.json' });
    expect(first.headers).toMatchObject({ 'content-type': 'application/json', vary: 'A2A-Version' });
    expect(second.text).toBe(first.text);
  });

  it('sends the card again only to who has another one (A2A 1.0 section 8.6.1)', async () => {
    const path = '/.well-known/agent-card.json';
    const { etag = '', 'cache-control': control } = (await http(port, { path })).headers;
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(control).toMatch(/^max-age=\d+$/);
    for (const known of [String(etag), `"other", W/${etag}`, '*']) {
      const answer = await http(port, { path, headers: { 'if-none-match': known } });
      expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', etag]);
      expect(answer.headers['content-length']).toBeUndefined();
    }
    expect((await http(port, { path, headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('every JSON-RPC answer is HTTP 200 and JSON', async () => {
    const answer = await post(port, '{');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
  });

  it.each([
    ['another path', { path: '/x' }],
    ['GET on the RPC path', { path: '/' }],
    ['POST elsewhere', { method: 'POST', path: '/x', headers: { 'content-type': 'application/json' }, body: sendBody }],
    ['a form', { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: sendBody }],
    ['text from a form', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: sendBody }],
    ['no content type', { method: 'POST', body: sendBody }],
    [
      'a type that only begins like JSON',
      { method: 'POST', headers: { 'content-type': 'application/jsonp' }, body: sendBody },
    ],
    ['no body', { method: 'POST', headers: { 'content-type': 'application/json' } }],
    ['PUT', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: sendBody }],
  ])('%s answers 404 with an empty body and starts nothing', async (_name, question) => {
    const answer = await http(port, question);
    expect([answer.status, answer.text]).toEqual([404, '']);
    expect(opened.tasks.list()).toEqual([]);
  });

  it.each(['application/json', 'Application/JSON; charset=utf-8', ' application/json ;x=y'])(
    'takes the type %j',
    async (type) => {
      expect((await post(port, sendBody, { 'content-type': type })).status).toBe(200);
    },
  );
});

describe('web pages (cases/reports row 33)', () => {
  const origins = [
    'http://evil.example',
    'http://10.0.0.1',
    'null',
    'http://localhost:1',
    'https://localhost',
    'http://localhost.evil.example',
  ];

  it.each(origins)('origin %s may not send a task', async (origin) => {
    const answer = await post(port, sendBody, { origin });
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([403, 'origin_not_allowed']);
    expect(opened.tasks.list()).toEqual([]);
  });

  it('its own origin may', async () => {
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      expect((await post(port, sendBody, { origin: `http://${name}:${port}` })).status).toBe(200);
    }
  });

  it.each([
    'evil.example',
    'evil.example:80',
    '10.0.0.1',
    'localhost.',
    'localhost@evil.example',
    '127.0.0.1.evil.example',
  ])('host %s is not this door', async (host) => {
    const answer = await post(port, sendBody, { host });
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([421, 'host_not_served']);
    expect((await http(port, { path: '/health', headers: { host } })).status).toBe(421);
    expect(opened.tasks.list()).toEqual([]);
  });

  it.each(['localhost', 'LocalHost:9', '127.0.0.1:1', '[::1]:80'])('host %s is', async (host) => {
    expect((await http(port, { path: '/health', headers: { host } })).status).toBe(200);
  });

  it('refuses before it reads the body', async () => {
    const head = `POST / HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`;
    expect(await raw(port, head, false)).toMatch(/^HTTP\/1\.1 421 /);
  });

  it('an exposed door takes the names others call it by, and still no foreign page', async () => {
    const exposed = await open({}, { bindAddr: '0.0.0.0' });
    try {
      const host = 'worker-1.internal:7000';
      expect((await post(exposed.door.port, sendBody, { host })).status).toBe(200);
      expect((await post(exposed.door.port, sendBody, { host, origin: `http://${host}` })).status).toBe(403);
    } finally {
      await exposed.door.close();
    }
  });
});

describe('peer consent (spec/door.md 9)', () => {
  it('refuses peer tasks with one and the same answer, before path and method', async () => {
    const headers = { 'x-murmur-task-origin': 'peer' };
    const first = await post(port, sendBody, headers);
    const second = await http(port, { path: '/anything', headers });
    expect(first.status).toBe(403);
    expect(second.text).toBe(first.text);
    expect(first.headers).not.toHaveProperty('www-authenticate');
    expect((await http(port, { path: '/.well-known/agent-card.json', headers })).status).toBe(200);
  });
});

describe('bounds (spec/door.md 2, cases/reports row 43)', () => {
  it('answers an 11 MiB body with 413, announced or not', async () => {
    const body = Buffer.alloc(11 * 1024 * 1024, 0x20);
    expect((await post(port, body, { 'content-length': String(body.length) })).status).toBe(413);
    expect((await post(port, body, { 'transfer-encoding': 'chunked' })).status).toBe(413);
  });

  it('takes a body of exactly the bound', async () => {
    const small = await open({}, { limits: { bodyBytes: sendBody.length } });
    try {
      expect((await post(small.door.port, sendBody)).status).toBe(200);
      expect((await post(small.door.port, `${sendBody} `)).status).toBe(413);
    } finally {
      await small.door.close();
    }
  });

  it('never asks for a body it would refuse', async () => {
    const head = (length: number) =>
      `POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`;
    expect(await raw(port, head(11 * 1024 * 1024), false)).toMatch(/^HTTP\/1\.1 413 /);
    expect(await raw(port, head(sendBody.length) + sendBody, false)).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
    );
  });

  it('answers a header block over 16 KiB with 431', async () => {
    const head = `GET /health HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(17 * 1024)}\r\n\r\n`;
    expect(await raw(port, head)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('gives up on a request that does not arrive in time', async () => {
    const hasty = await open({}, { limits: { requestMs: 50 } });
    try {
      const head = 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{';
      expect(await raw(hasty.door.port, head, false)).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      await hasty.door.close();
    }
  });

  it('turns connections over the bound away and serves again when one leaves', async () => {
    const narrow = await open({}, { limits: { connections: 1 } });
    try {
      const held = connect(narrow.door.port, '127.0.0.1');
      await new Promise<void>((resolve) => held.once('connect', resolve));
      expect(await raw(narrow.door.port, 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n', false)).toBe('');
      const left = new Promise<void>((resolve) => held.once('close', () => resolve()));
      held.destroy();
      await left;
      await expect
        .poll(() =>
          http(narrow.door.port, { path: '/health' }).then(
            (answer) => answer.status,
            () => 0,
          ),
        )
        .toBe(200);
    } finally {
      await narrow.door.close();
    }
  });

  it('a sender that leaves in the middle of its body starts nothing', async () => {
    const head = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${sendBody.length}\r\n\r\n`;
    await raw(port, head + sendBody.slice(0, 20));
    expect(opened.tasks.list()).toEqual([]);
    expect((await http(port, { path: '/health' })).status).toBe(200);
  });
});

describe('opening and closing', () => {
  it('refuses a port that is taken with E-RUN-010', async () => {
    const options = { bindAddr: '127.0.0.1', port, card: cardInput, tasks: portOf(opened.tasks), clock: systemClock };
    await expect(openDoor(options)).rejects.toMatchObject({
      code: 'E-RUN-010',
      message: `internal_port ${port} is already bound`,
    });
  });

  it('binds exactly the port it is given', async () => {
    await opened.door.close();
    opened = await open({}, { port });
    expect(opened.door.port).toBe(port);
  });

  it('says which address it cannot listen on', async () => {
    await expect(open({}, { bindAddr: '203.0.113.1' })).rejects.toMatchObject({ code: 'E-IO-003' });
  });

  it('closes twice in peace, cuts idle connections and refuses new ones', async () => {
    const idle = connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => idle.once('connect', resolve));
    const cut = new Promise<void>((resolve) => idle.once('close', () => resolve()));
    idle.on('error', () => undefined);
    await Promise.all([opened.door.close(), opened.door.close()]);
    await cut;
    await expect(http(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.each([
    ['127.0.0.1', false],
    ['127.9.9.9', false],
    ['::1', false],
    ['0:0:0:0:0:0:0:1', false],
    ['localhost', false],
    ['0.0.0.0', true],
    ['::', true],
    ['192.168.1.2', true],
    ['my-host', true],
  ])('an address like %s counts as exposed: %s', (address, exposed) => {
    expect(isExposed(address)).toBe(exposed);
  });
});

describe('whatever arrives', () => {
  it('any JSON body gets a well-formed JSON-RPC reply, and the door lives on', async () => {
    const methods = fc.constantFrom(
      'message/send',
      'tasks/get',
      'tasks/cancel',
      'session/stop',
      'SendMessage',
      '__proto__',
    );
    const request = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()),
        id: fc.jsonValue(),
        method: fc.oneof(methods, fc.jsonValue()),
        params: fc.oneof(
          fc.jsonValue(),
          fc.record({
            message: fc.record({ messageId: fc.jsonValue(), role: fc.jsonValue(), parts: fc.array(fc.jsonValue()) }),
          }),
        ),
      },
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      request.map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string({ minLength: 1 }),
    );
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const answer = await post(port, text);
        expect(answer.status).toBe(200);
        const reply = JSON.parse(answer.text);
        expect(reply.jsonrpc).toBe('2.0');
        expect('id' in reply && 'result' in reply !== 'error' in reply).toBe(true);
      }),
      { numRuns: 300 },
    );
    expect((await http(port, { path: '/health' })).status).toBe(200);
  });

  it('any bytes on the socket get a proper status line or silence, and the door lives on', async () => {
    const line = fc.constantFrom(
      'GET /health HTTP/1.1',
      'POST / HTTP/1.1',
      'POST / HTTP/1.0',
      'GET http://evil/ HTTP/1.1',
      'CONNECT x:1 HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'GET / HTTP/9.9',
      'PRI * HTTP/2.0',
      'GET  / HTTP/1.1',
      'GET /%00%zz HTTP/1.1',
    );
    const header = fc.constantFrom(
      'host: localhost',
      'host: localhost',
      'host: evil',
      'content-type: application/json',
      'content-length: 5',
      'content-length: -1',
      'content-length: 99999999999999999999',
      'transfer-encoding: chunked',
      'transfer-encoding: gzip',
      'expect: 100-continue',
      'expect: x',
      'upgrade: websocket',
      'connection: upgrade',
      'origin: null',
      'a2a-version: 1.0',
      'a2a-version: 9',
      ': x',
      'x',
      'x:\u0000',
      'x-murmur-task-origin: peer',
    );
    const shaped = fc
      .tuple(line, fc.array(header, { maxLength: 6 }), fc.string())
      .map(([first, headers, rest]) => Buffer.from(`${[first, ...headers].join('\r\n')}\r\n\r\n${rest}`));
    const bytes = fc.oneof(
      shaped,
      fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => Buffer.from(array)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => {
        const got = await raw(port, sent);
        if (got !== '') expect(got).toMatch(/^HTTP\/1\.1 (100|200|400|403|404|408|413|417|421|431|501) /);
      }),
      { numRuns: 400 },
    );
    expect((await http(port, { path: '/health' })).status).toBe(200);
    expect((await rpc(port, 'tasks/get')).error.code).toBe(-32001);
  });
});

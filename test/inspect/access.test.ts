import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { Access } from '../../src/inspect/access.js';
import { createEndpoint } from '../../src/inspect/endpoint.js';
import { http, open, raw } from '../door/client.js';
import { temporaryFolder } from '../home/temporary.js';

/** A real door with an inspection endpoint on it, and how often a client came in. */
async function inspectedDoor(options: { room?: boolean; bindAddr?: string } = {}) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'page'));
  writeFileSync(join(folder, 'page', 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(folder, 'page', 'page.js'), 'export {};');
  writeFileSync(join(folder, 'secret.txt'), 'outside the page');
  const access = new Access();
  const came: { isStately: boolean; socket: WebSocket }[] = [];
  const side = createEndpoint({
    access,
    hasRoom: () => options.room ?? true,
    connected: (socket, isStately) => came.push({ socket, isStately }),
    page: pathToFileURL(`${join(folder, 'page')}/`),
  });
  const { door } = await open({}, { side, bindAddr: options.bindAddr ?? '127.0.0.1' });
  access.listensOn(door.port);
  onTestFinished(async () => {
    for (const { socket } of came) socket.terminate();
    await door.close();
  });
  return { port: door.port, token: access.token.reveal(), access, came };
}

interface Attempt {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly protocols?: string[];
  readonly host?: string;
}

/** The status with which an upgrade was answered; 101 when it was granted. */
async function upgrade(port: number, { path = '/inspect', headers = {}, protocols = [], host = '127.0.0.1' }: Attempt) {
  const socket = new WebSocket(`ws://${host}:${port}${path}`, protocols, { headers, perMessageDeflate: false });
  onTestFinished(() => socket.terminate());
  return new Promise<{ status: number; protocol: string; socket: WebSocket }>((resolve, reject) => {
    socket.on('open', () => resolve({ status: 101, protocol: socket.protocol, socket }));
    socket.on('unexpected-response', (_, response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, protocol: '', socket });
    });
    socket.on('error', reject);
  });
}

const bearer = (token: string) => ['mur.inspect.v1', `bearer.${token}`];

describe('an upgrade is granted', () => {
  it('with the token as a subprotocol, answered with ours', async () => {
    const { port, token, came } = await inspectedDoor();
    expect(await upgrade(port, { protocols: bearer(token) })).toMatchObject({
      status: 101,
      protocol: 'mur.inspect.v1',
    });
    expect(came.map(({ isStately }) => isStately)).toEqual([false]);
  });

  it('with the token as Authorization', async () => {
    const { port, token } = await inspectedDoor();
    const headers = { authorization: `Bearer ${token}` };
    expect((await upgrade(port, { headers, protocols: ['mur.inspect.v1'] })).status).toBe(101);
  });

  it('with the token in the query and no subprotocol, to a receiver of Stately frames', async () => {
    const { port, token, came } = await inspectedDoor();
    expect((await upgrade(port, { path: `/inspect?token=${token}` })).status).toBe(101);
    expect(came.map(({ isStately }) => isStately)).toEqual([true]);
  });

  it('from a page of this very port', async () => {
    const { port, token } = await inspectedDoor();
    const headers = { origin: `http://localhost:${port}` };
    expect((await upgrade(port, { headers, protocols: bearer(token) })).status).toBe(101);
  });
});

describe('before anything is upgraded, it is refused', () => {
  it.each<[string, number, (token: string) => Attempt]>([
    ['without a token', 401, () => ({})],
    [
      'with a wrong token',
      401,
      (token) => ({ protocols: bearer(`${token.slice(0, -1)}!`.replace('!', token.endsWith('A') ? 'B' : 'A')) }),
    ],
    ['with the beginning of the token', 401, (token) => ({ protocols: bearer(token.slice(0, 20)) })],
    ['with an empty token', 401, () => ({ path: '/inspect?token=' })],
    ['with a token in a cookie of that name', 401, (token) => ({ headers: { cookie: `mur_inspect=${token}` } })],
    ['from a foreign page', 403, (token) => ({ headers: { origin: 'http://evil.example' }, protocols: bearer(token) })],
    [
      'from an address of the local network',
      403,
      (token) => ({ headers: { origin: 'http://10.0.0.1' }, protocols: bearer(token) }),
    ],
    [
      'from another port of this machine',
      403,
      (token) => ({ headers: { origin: 'http://localhost:1' }, protocols: bearer(token) }),
    ],
    ['from an opaque origin', 403, (token) => ({ headers: { origin: 'null' }, protocols: bearer(token) })],
    ['under a foreign host name', 421, (token) => ({ headers: { host: 'evil.example' }, protocols: bearer(token) })],
    [
      'under a name that only begins like ours',
      421,
      (token) => ({ headers: { host: 'localhost.evil.example' }, protocols: bearer(token) }),
    ],
    ['at another path', 404, (token) => ({ path: '/', protocols: bearer(token) })],
    ['at a path below', 404, (token) => ({ path: '/inspect/x', protocols: bearer(token) })],
  ])('%s: %i', async (_, status, attempt) => {
    const { port, token, came } = await inspectedDoor();
    expect((await upgrade(port, attempt(token))).status).toBe(status);
    expect(came).toEqual([]);
  });

  it('when there are too many clients: 503, also with the token', async () => {
    const { port, token, came } = await inspectedDoor({ room: false });
    expect((await upgrade(port, { protocols: bearer(token) })).status).toBe(503);
    expect((await upgrade(port, {})).status).toBe(401);
    expect(came).toEqual([]);
  });

  it('when it comes from another machine: 403, whatever the door is bound to', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
    if (outside === undefined) return; // a machine without a network has no other machines
    const { port, token } = await inspectedDoor({ bindAddr: '0.0.0.0' });
    const headers = { host: `localhost:${port}` };
    expect((await upgrade(port, { host: outside, headers, protocols: bearer(token) })).status).toBe(403);
    expect((await upgrade(port, { headers, protocols: bearer(token) })).status).toBe(101);
  });

  it('when it is no whole handshake: 400', async () => {
    const { port, token } = await inspectedDoor();
    const head = `GET /inspect?token=${token} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    expect(await raw(port, head)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('a client that came in', () => {
  it('may not send more than 64 KiB in one message', async () => {
    const { port, token, came } = await inspectedDoor();
    const { socket } = await upgrade(port, { protocols: bearer(token) });
    while (came.length === 0) await new Promise((resolve) => setImmediate(resolve));
    came[0]!.socket.on('error', () => undefined);
    socket.send('x'.repeat(64 * 1024 + 1));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1009);
  });
});

describe('the page', () => {
  it('opens with a link once: 303 to the page, with a cookie that no script and no other site can use', async () => {
    const { port, access, token } = await inspectedDoor();
    const link = new URL(access.link());
    const first = await http(port, { path: link.pathname + link.search });
    expect([first.status, first.headers.location]).toEqual([303, '/ui/']);
    const cookie = first.headers['set-cookie']![0]!;
    expect(cookie).toMatch(new RegExp(`^mur_inspect_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`));
    expect(cookie).not.toContain(token);
    const page = await http(port, { path: '/ui/', headers: { cookie: cookie.split(';')[0]! } });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['cache-control']).toBe('no-store');
    const again = await http(port, { path: link.pathname + link.search });
    expect(again.status).toBe(401);
    const sameBrowser = await http(port, {
      path: link.pathname + link.search,
      headers: { cookie: cookie.split(';')[0]! },
    });
    expect([sameBrowser.status, sameBrowser.headers.location]).toEqual([303, '/ui/']);
  });

  it('opens with the token too, and its cookie opens the websocket', async () => {
    const { port, token } = await inspectedDoor();
    const answer = await http(port, { path: `/ui?token=${token}` });
    expect(answer.status).toBe(303);
    const cookie = answer.headers['set-cookie']![0]!.split(';')[0]!;
    expect((await upgrade(port, { headers: { cookie }, protocols: ['mur.inspect.v1'] })).status).toBe(101);
    expect(
      (await upgrade(port, { headers: { cookie: `${cookie.slice(0, -1)}` }, protocols: ['mur.inspect.v1'] })).status,
    ).toBe(401);
  });

  it.each<[string, number, { path: string; method?: string; headers?: Record<string, string> }]>([
    ['without token or cookie', 401, { path: '/ui/' }],
    ['its parts without one', 401, { path: '/ui/page.js' }],
    ['under a foreign host', 421, { path: '/ui/?token=TOKEN', headers: { host: 'evil.example' } }],
    ['for a foreign page', 403, { path: '/ui/?token=TOKEN', headers: { origin: 'http://evil.example' } }],
    ['by POST', 405, { path: '/ui/?token=TOKEN', method: 'POST' }],
    ['the websocket by plain GET', 426, { path: '/inspect', headers: { authorization: 'Bearer TOKEN' } }],
    ['the websocket by plain GET without a token', 401, { path: '/inspect' }],
  ])('is refused %s: %i', async (_, status, question) => {
    const { port, token } = await inspectedDoor();
    const fill = (text: string) => text.replace('TOKEN', token);
    const headers = Object.fromEntries(
      Object.entries(question.headers ?? {}).map(([name, value]) => [name, fill(value)]),
    );
    expect((await http(port, { ...question, path: fill(question.path), headers })).status).toBe(status);
  });

  it.each([
    '/ui/../secret.txt',
    '/ui/%2e%2e/secret.txt',
    '/ui/..%2fsecret.txt',
    '/ui//etc/passwd',
    '/ui/page.js/..',
    '/ui/nosuch.js',
  ])('serves nothing outside itself: %s', async (path) => {
    const { port, token } = await inspectedDoor();
    const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const request = httpRequest({ host: '127.0.0.1', port, path, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode!, text }));
      });
      request.on('error', reject).end();
    });
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('outside');
  });
});

describe('the door beside it', () => {
  it('answers as ever', async () => {
    const { port } = await inspectedDoor();
    expect((await http(port, { path: '/health' })).status).toBe(200);
  });

  it('answers a request that offers HTTP/2 as if it had not offered it, body and all', async () => {
    const { port } = await inspectedDoor();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tasks/get', params: { id: 'tsk_none' } });
    const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\n${offer}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (const pieces of [[head + body], [head, body], [head + body.slice(0, 10), body.slice(10)]]) {
      const answer = await inPieces(port, pieces);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain('"id":7');
    }
  });

  it('without inspection knows neither path', async () => {
    const { door } = await open();
    onTestFinished(() => door.close());
    expect((await http(door.port, { path: '/ui/' })).status).toBe(404);
    expect((await http(door.port, { path: '/inspect' })).status).toBe(404);
    expect((await upgrade(door.port, { protocols: bearer('x') })).status).toBe(404);
  });
});

async function inPieces(port: number, pieces: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const closed = once(socket, 'close');
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await closed;
  return text;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildCard } from '../../src/door/card.js';
import { Secret } from '../../src/errors/index.js';
import {
  livenessWithoutProbe,
  type RunningRecord,
  startToken,
  sweepRecords,
  type VerifyOptions,
  verify,
  verifyAll,
} from '../../src/liveness/index.js';
import { emptyHome, kernel, putRecord, record, sessionId, thisProcess, unheldPid } from './fixture.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A door of this process; answers with its address. */
async function door(handle: Handler): Promise<string> {
  const server = createServer(handle);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

/** A door that speaks bytes. */
async function rawDoor(accept: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    accept(socket);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listen(server);
}

const ours = record().session_id;
const answering =
  (card: unknown, status = 200): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof card === 'string' ? card : JSON.stringify(card));
  };
const alive = (url: string, extra: Partial<RunningRecord> = {}): RunningRecord =>
  record({ ...thisProcess(), url, ...extra });
const extension = (sessionId: unknown) => ({
  capabilities: {
    extensions: [
      { uri: 'https://example.org/#murmur-door-v1', params: { sessionId: 'not this' } },
      { uri: 'https://example.org/elsewhere#murmur-capsule-v1', params: { sessionId } },
    ],
  },
});

async function reasonOf(given: RunningRecord, options?: VerifyOptions): Promise<string> {
  const liveness = await verify(given, options);
  if (liveness.verdict !== 'Unreachable') throw new Error(`it is ${liveness.verdict}`);
  expect(liveness.evidence.at(-1)).toMatchObject({ layer: 3, says: liveness.reason });
  return liveness.reason;
}

describe('without asking the door', () => {
  test('L19 no probe: the layers before it decide, except for Alive', () => {
    const reason = "pid 1's start time could not be read";
    expect(livenessWithoutProbe({ verdict: 'Unverified', reason })).toEqual({
      verdict: 'Unreachable',
      reason,
      evidence: [],
    });
    expect(livenessWithoutProbe({ verdict: 'Gone', reason: 'gone' })).toMatchObject({
      verdict: 'Gone',
      reason: 'gone',
    });
    expect(livenessWithoutProbe({ verdict: 'Alive' })).toBeUndefined();
  });

  test('a process that is gone or unverified gets no request', async () => {
    let requests = 0;
    const url = await door((request, response) => {
      requests += 1;
      answering({ session_id: ours })(request, response);
    });
    expect(await verify(alive(url, { pid: unheldPid }))).toMatchObject({
      verdict: 'Gone',
      reason: `no process holds pid ${unheldPid}`,
    });
    expect(await verify(alive(url), { kernel: kernel({ look: () => undefined }) })).toMatchObject({
      verdict: 'Unreachable',
      reason: `pid ${process.pid}'s start time could not be read`,
    });
    expect(requests).toBe(0);
  });
});

describe('a door that answers for the session', () => {
  test.each([
    ['a top-level id, as 0.4 doors', { session_id: ours }],
    ['the capsule extension, as later doors', extension(ours)],
    ['both', { ...extension(ours), session_id: ours }],
  ])('with %s makes it Live', async (_, card) => {
    expect((await verify(alive(await door(answering(card))))).verdict).toBe('Live');
  });

  test('and is one of ours makes it Live, whoever asks', async () => {
    const card = buildCard(
      {
        sessionId: ours,
        name: 'a',
        version: '1',
        acceptance: 'queue',
        tools: [],
        shell: false,
        network: false,
        acceptsPeerTasks: false,
      },
      { port: 1, methods: { mur: [], v03: [], v1: [], all: [] }, isAuthenticated: false },
    );
    expect((await verify(alive(await door(answering(card))))).verdict).toBe('Live');
  });

  test('is asked once, for its card, as JSON', async () => {
    const requests: unknown[] = [];
    const url = await door((request, response) => {
      requests.push([request.method, request.url, request.headers.accept, request.headers.authorization]);
      answering({ session_id: ours })(request, response);
    });
    await verify(alive(`http://${url}`));
    expect(requests).toEqual([['GET', '/.well-known/agent-card.json', 'application/json', undefined]]);
  });

  test('and hangs up with its last byte makes it Live every time', async () => {
    const body = JSON.stringify({ filler: 'x'.repeat(500_000), session_id: ours });
    const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const url = await rawDoor((socket) => void socket.once('data', () => socket.end(answer)));
    const verdicts = await verifyAll(Array.from({ length: 100 }, () => alive(url)));
    expect(new Set(verdicts.map(({ verdict }) => verdict))).toEqual(new Set(['Live']));
  });

  test('leaves evidence of all three layers, with the time', async () => {
    const url = await door(answering({ session_id: ours }));
    const liveness = await verify(alive(url), { now: () => 1_700 });
    expect(liveness.evidence).toEqual([
      { layer: 1, says: `pid ${process.pid} is held`, at: 1_700 },
      { layer: 2, says: `it started at ${thisProcess().process_start}, as recorded`, at: 1_700 },
      { layer: 3, says: `the door at ${url} answers for it`, at: 1_700 },
    ]);
  });
});

describe('a door that does not', () => {
  test('L10 silent port: Unreachable', async () => {
    const server = createServer();
    const url = await listen(server);
    server.close();
    await once(server, 'close');
    expect(await reasonOf(alive(url))).toContain('ECONNREFUSED');
    expect(await reasonOf(alive(url.replace('127.0.0.1', 'localhost')))).toContain('ECONNREFUSED');
  });

  test('L33 another session: Unreachable, naming it', async () => {
    const url = await door(answering({ session_id: 'ses_other' }));
    expect(await reasonOf(alive(url))).toBe(`the capsule at ${url} answers for session ses_other`);
    const long = await door(answering({ session_id: 'x'.repeat(100_000) }));
    expect((await reasonOf(alive(long))).length).toBeLessThan(200);
  });

  test.each([{}, { session_id: 7 }, [], null, 7, { ...extension('ses_a'), session_id: 'ses_b' }, extension(7)])(
    'L34 no id: the card %j names no session',
    async (card) => {
      const url = await door(answering(card));
      expect(await reasonOf(alive(`http://${url}`))).toBe(`the agent card from ${url} names no session`);
    },
  );

  test('L35 accepts and never answers: Unreachable within 5 s and some slack', async () => {
    const url = await rawDoor(() => {});
    const startedAt = performance.now();
    expect(await reasonOf(alive(url))).toBe(`${url} did not answer within 5 s`);
    const elapsedMs = performance.now() - startedAt;
    expect(elapsedMs).toBeGreaterThan(4_900);
    expect(elapsedMs).toBeLessThan(30_000);
  });

  test('sends one byte after another: the time from the connection counts', async () => {
    const url = await rawDoor((socket) => {
      const timer = setInterval(() => socket.write('H'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await reasonOf(alive(url), { readMs: 200 })).toMatch(/did not answer within|Parse Error/);
    const slowBody = await rawDoor((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write(' '), 20);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await reasonOf(alive(slowBody), { readMs: 200 })).toBe(`${slowBody} did not answer within 0.2 s`);
  });

  test('sends more than a card can be: it is not read to the end', async () => {
    const url = await door((_, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    expect(await reasonOf(alive(url))).toBe('the answer is larger than 1048576 bytes');
  });

  test('redirects: nothing follows it', async () => {
    let followed = 0;
    const target = await door((request, response) => {
      followed += 1;
      answering({ session_id: ours })(request, response);
    });
    const url = await door((_, response) => void response.writeHead(302, { location: `http://${target}/` }).end());
    expect(await reasonOf(alive(url))).toBe(`${url} answered 302 to GET /.well-known/agent-card.json`);
    expect(followed).toBe(0);
  });

  test('is not HTTP, hangs up, changes protocol, or sends half an answer', async () => {
    expect(await reasonOf(alive(await rawDoor((socket) => void socket.end('hello\r\n\r\n'))))).toContain('Parse Error');
    expect(await reasonOf(alive(await rawDoor((socket) => void socket.end())))).toContain('socket hang up');
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';
    expect(await reasonOf(alive(await rawDoor((socket) => void socket.write(upgrade))))).not.toBe('');
    const half = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"session_id":';
    expect(await reasonOf(alive(await rawDoor((socket) => void socket.end(half))))).not.toBe('');
    const text = await door(answering('not json'));
    expect(await reasonOf(alive(text))).toBe(`the agent card from ${text} is not JSON`);
  });

  test.each([
    '',
    'localhost',
    ':80',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '127.0.0.1:80/admin',
    'user@127.0.0.1:80',
    '127.0.0.1:80?x',
    'ftp://127.0.0.1:80',
    'http://http://127.0.0.1:80',
    '127.0.0.1:80\r\nx: y',
    '::1:80',
  ])('has no address anything is sent to: %j', async (url) => {
    expect(await reasonOf(alive(url))).toBe(`the recorded address ${JSON.stringify(url)} is not host:port`);
  });

  test('is not waited for after an abort', async () => {
    const url = await rawDoor(() => {});
    const controller = new AbortController();
    const pending = reasonOf(alive(url), { signal: controller.signal });
    controller.abort();
    expect(await pending).toBe('the probe was aborted');
    expect(await reasonOf(alive(url), { signal: controller.signal })).toBe('the probe was aborted');
  });
});

describe('a door with authentication', () => {
  const token = 'the-operator-token';
  const locked = (url: string) => alive(url, { door_token: new Secret(token) });

  /** Answers one method with a card; everything without the token with 401. */
  const guarded =
    (method: string, card: unknown, seen: string[] = []): Handler =>
    (request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401).end();
        const call = JSON.parse(body);
        seen.push(call.method);
        const answer =
          call.method === method ? { result: card } : { error: { code: -32601, message: 'no such method' } };
        return response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...answer }));
      });
    };

  test.each([
    ['GetExtendedAgentCard', ['GetExtendedAgentCard']],
    ['agent/getAuthenticatedExtendedCard', ['GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard']],
  ])('is asked for its extended card by %s', async (method, calls) => {
    const seen: string[] = [];
    expect((await verify(locked(await door(guarded(method, extension(ours), seen))))).verdict).toBe('Live');
    expect(seen).toEqual(calls);
  });

  test.each([
    ['refuses the token', answering({}, 401)],
    ['has no such card', guarded('another', {})],
    ['answers with an error', answering({ jsonrpc: '2.0', id: 1, error: { code: -32004, message: 'public' } })],
    ['answers with text', answering('hello')],
  ])('that %s is Unreachable', async (_, handle) => {
    const url = await door(handle);
    expect(await reasonOf(locked(url))).toBe(`the capsule at ${url} did not return its extended agent card`);
  });

  test('whose recorded token fits no header is Unreachable, and the token is in no message', async () => {
    const url = await door(answering({}));
    const given = alive(url, { door_token: new Secret('bad\r\ntoken') });
    expect(inspect(await verify(given), { depth: 9 })).not.toContain('bad');
  });
});

test('many are verified at most sixteen at once, and answered in order', async () => {
  let open = 0;
  let most = 0;
  const url = await door((_, response) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.end(JSON.stringify({ session_id: ours }));
    }, 5);
  });
  const records = Array.from({ length: 60 }, (_, index) => alive(url, index % 3 === 0 ? { pid: unheldPid } : {}));
  const verdicts = (await verifyAll(records)).map(({ verdict }) => verdict);
  expect(verdicts).toEqual(records.map(({ pid }) => (pid === unheldPid ? 'Gone' : 'Live')));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(16);
  expect(await verifyAll([])).toEqual([]);
});

test('a session that stops responding is Unreachable and kept; resumed, it is Live again', async () => {
  const home = emptyHome();
  const session_id = sessionId(7);
  const code = `
    const { createServer } = require('node:http');
    createServer((_, response) => response.end(${JSON.stringify(JSON.stringify({ session_id }))}))
      .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = await once(child.stdout, 'data');
  const pid = child.pid!;
  const given = record({
    session_id,
    url: `127.0.0.1:${String(port).trim()}`,
    pid,
    process_start: startToken(pid)!,
  });
  putRecord(home, given);
  expect((await verify(given)).verdict).toBe('Live');

  child.kill('SIGSTOP');
  expect(await reasonOf(given, { readMs: 300 })).toBe(`${given.url} did not answer within 0.3 s`);
  expect(sweepRecords(home)).toMatchObject({ running: [{ state: { verdict: 'Alive' } }], gone: [] });
  expect(readdirSync(home.running)).toEqual([`${session_id}.json`]);

  child.kill('SIGCONT');
  expect((await verify(given)).verdict).toBe('Live');
});

/** Messages to peers on loopback: real doors, agents of other makes, and peers that mean harm. */
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { DoorAuth } from '../../src/door/index.js';
import { type PeerLimits, peerLimits, type SendOptions, sendToPeer } from '../../src/peer/index.js';
import { parseAllowEntry } from '../../src/policy/index.js';
import type { EgressEvent } from '../../src/wasm/egress/index.js';
import type { PeerMessage } from '../../src/wasm/index.js';
import { cardInput, open } from '../door/client.js';
import { listen } from '../wasm/egress/server.js';

vi.setConfig({ testTimeout: 30_000 });

const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
const message: PeerMessage = { messageId: 'msg_1', contextId: undefined, text: 'What is up?' };
const tight: PeerLimits = {
  ...peerLimits,
  card: { connectMs: 1000, totalMs: 300, bodyBytes: 10_000 },
  send: { connectMs: 1000, totalMs: 300, bodyBytes: 10_000 },
};

interface Asked extends Partial<Omit<SendOptions, 'policy'>> {
  readonly allow?: readonly string[];
  readonly events?: EgressEvent[];
  readonly message?: PeerMessage;
}

function send(
  url: string,
  { allow = ['127.0.0.1', 'localhost'], events, message: sent = message, ...options }: Asked = {},
) {
  const policy = {
    rules: allow.map(parseAllowEntry),
    privateNames: [],
    gateways: [],
    onEvent: (event: EgressEvent) => events?.push(event),
  };
  const signal = new AbortController().signal;
  return sendToPeer(url, sent, { policy, trust: 'untrusted', traceparent: null, signal, ...options });
}

/** An agent with this card, which answers each request with `result`. */
const agent =
  (card: unknown, result: (id: unknown) => unknown): RequestListener =>
  (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.once('end', () => {
      const answer = request.method === 'GET' ? card : result(JSON.parse(body).id);
      if (answer === undefined) response.writeHead(404).end();
      else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  };
const result = (value: unknown) => (id: unknown) => ({ jsonrpc: '2.0', id, result: value });

describe('a capsule as the peer', () => {
  test('takes a message in the words of A2A 1.0, as of a peer, with the trust and the trace of the sender', async () => {
    const { door, tasks } = await open({}, { card: { ...cardInput, acceptsPeerTasks: true } });
    try {
      const task = await send(door.url, { trust: 'trusted', traceparent });
      expect(task).toEqual({
        taskId: expect.stringMatching(/^tsk_/),
        contextId: expect.stringMatching(/^ctx_/),
        state: 'submitted',
      });
      expect(tasks.next()).toMatchObject({
        ...{ taskId: task.taskId, text: 'What is up?', messageId: 'msg_1' },
        ...{ origin: 'peer', trust: 'trusted', traceparent },
      });
      const again = await send(`http://${door.url}/`, { message: { ...message, contextId: task.contextId } });
      expect(again.contextId).toBe(task.contextId);
      expect(tasks.list().map(({ trust }) => trust)).toEqual(['trusted', 'untrusted']);
    } finally {
      await door.close();
    }
  });

  test('says that it is full, and the guest reads it as a task that was rejected', async () => {
    const { door } = await open({ queueDepth: 1 }, { card: { ...cardInput, acceptsPeerTasks: true } });
    try {
      await send(door.url);
      expect(await send(door.url)).toMatchObject({ state: 'rejected' });
    } finally {
      await door.close();
    }
  });

  test('that takes no tasks of peers refuses it, and the guest reads which key of the manifest says so', async () => {
    const { door, tasks } = await open();
    try {
      await expect(send(door.url)).rejects.toThrow(
        `the peer '${door.url}' did not take the message: it takes no tasks from other capsules: its manifest has to say exports.peer_tasks.accept: true`,
      );
      expect(tasks.list()).toEqual([]);
    } finally {
      await door.close();
    }
  });

  test('that takes no messages at all says so', async () => {
    const card = { ...cardInput, acceptance: 'none' as const, acceptsPeerTasks: true };
    const { door } = await open({ acceptance: 'none' }, { card });
    try {
      await expect(send(door.url)).rejects.toThrow('it refused the message: Method not found (-32601)');
    } finally {
      await door.close();
    }
  });

  test('that wants a token says so, and gets none', async () => {
    const { door } = await open(
      {},
      { card: { ...cardInput, acceptsPeerTasks: true }, auth: new DoorAuth({ scheme: 'bearer', credentials: [] }) },
    );
    try {
      await expect(send(door.url)).rejects.toThrow('a token of its operator only (HTTP 401)');
    } finally {
      await door.close();
    }
  });
});

describe('an agent of another make as the peer', () => {
  const v1 = {
    supportedInterfaces: [{ url: 'http://localhost:1/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  };
  const v03 = { protocolVersion: '0.3.0', url: 'http://localhost:1/', preferredTransport: 'JSONRPC' };
  const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };

  test('that speaks 1.0 is sent SendMessage, asked to answer at once, on the path of its card', async () => {
    await using server = await listen(agent(v1, result({ task })));
    const sent = await send(`127.0.0.1:${server.port}`, { trust: 'trusted', traceparent });
    expect(sent).toEqual({ taskId: 't1', contextId: 'c1', state: 'working' });
    const [card, request] = server.arrived;
    expect(card).toMatchObject({ method: 'GET', url: '/.well-known/agent-card.json' });
    expect(Object.keys(card!.headers).filter((name) => name.startsWith('x-murmur-'))).toEqual([]);
    expect(request).toMatchObject({
      ...{ method: 'POST', url: '/a2a' },
      headers: {
        ...{ 'a2a-version': '1.0', 'content-type': 'application/json', host: `127.0.0.1:${server.port}` },
        ...{ 'x-murmur-task-origin': 'peer', 'x-murmur-task-trust': 'trusted', traceparent },
      },
    });
    expect(JSON.parse(request!.body)).toEqual({
      jsonrpc: '2.0',
      id: expect.stringMatching(/^req_[0-9a-f]{32}$/),
      method: 'SendMessage',
      params: {
        message: { messageId: 'msg_1', role: 'ROLE_USER', parts: [{ text: 'What is up?' }] },
        configuration: { returnImmediately: true },
      },
    });
    await server.drained();
  });

  test.each([
    ['0.3', v03],
    ['no card', undefined],
  ])('that speaks %s is sent message/send, in words that A2A 0.3 and older doors take', async (_what, card) => {
    await using server = await listen(agent(card, result({ kind: 'task', ...task, status: { state: 'working' } })));
    const sent = await send(`http://127.0.0.1:${server.port}/own?x=1`, { message: { ...message, contextId: 'c9' } });
    expect(sent).toEqual({ taskId: 't1', contextId: 'c1', state: 'working' });
    const request = server.arrived[1]!;
    expect(request.url).toBe('/own?x=1');
    expect(request.headers).not.toHaveProperty('a2a-version');
    expect(request.headers).not.toHaveProperty('traceparent');
    expect(JSON.parse(request.body)).toMatchObject({
      method: 'message/send',
      params: {
        message: {
          ...{ kind: 'message', messageId: 'msg_1', contextId: 'c9', role: 'user' },
          parts: [{ kind: 'text', text: 'What is up?' }],
        },
        configuration: { blocking: false },
      },
    });
  });

  test.each([
    ['a message in place of a task', { message: { messageId: 'm', parts: [] } }, { taskId: '', state: 'completed' }],
    [
      'an old message in place of a task',
      { kind: 'message', messageId: 'm', taskId: 't2' },
      { taskId: 't2', state: 'completed' },
    ],
    [
      'a task that wants a sign-in',
      { task: { id: 't', status: { state: 'TASK_STATE_AUTH_REQUIRED' } } },
      { state: 'input-required' },
    ],
    ['a task that needs input', { id: 't', status: { state: 'input-required' } }, { state: 'input-required' }],
  ])('may answer with %s', async (_what, value, told) => {
    await using server = await listen(agent(v1, result(value)));
    expect(await send(server.url, { message: { ...message, contextId: 'mine' } })).toMatchObject({
      contextId: 'mine',
      ...told,
    });
  });
});

describe('what no rule lets through', () => {
  test.each([
    ['no rule', [], 'not-allowed'],
    ['a rule for another port', ['http://127.0.0.1:1'], 'not-allowed'],
    ['a rule for another host', ['localhost'], 'not-allowed'],
  ] as const)('%s: nothing is connected, and it is told as every denied egress', async (_what, allow, reason) => {
    await using server = await listen((_, response) => response.end('{}'));
    const events: EgressEvent[] = [];
    const url = `127.0.0.1:${server.port}`;
    await expect(send(url, { allow, events })).rejects.toThrow(
      new Error(`network policy: '${url}' not in capabilities.network.allow`),
    );
    expect(events).toEqual([{ type: 'egress.denied', reason, target: url }]);
    expect(server.connections).toBe(0);
  });

  test('a name that leads to private addresses, which a rule by name does not cover', async () => {
    await using server = await listen((_, response) => response.end('{}'));
    const events: EgressEvent[] = [];
    const policy = {
      ...{ rules: [parseAllowEntry('peer.example')], privateNames: [], gateways: [] },
      onEvent: (event: EgressEvent) => void events.push(event),
      resolve: async () => [{ address: '127.0.0.1', family: 4 as const }],
    };
    const options = { policy, trust: 'untrusted', traceparent: null, signal: new AbortController().signal } as const;
    await expect(sendToPeer(`peer.example:${server.port}`, message, options)).rejects.toThrow('private addresses only');
    expect(events).toMatchObject([{ type: 'egress.denied', reason: 'private-address' }]);
    expect(server.connections).toBe(0);
  });

  test('a card cannot lead the message to another host, nor can a redirect', async () => {
    await using other = await listen((_, response) => response.end('{}'));
    const elsewhere = { url: `${other.url}/x`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    await using server = await listen((request, response) => {
      if (request.method === 'GET') response.end(JSON.stringify({ supportedInterfaces: [elsewhere] }));
      else response.writeHead(307, { location: other.url }).end();
    });
    await expect(send(server.url)).rejects.toThrow('it answered with HTTP 307');
    expect(server.arrived.map(({ url }) => url)).toEqual(['/.well-known/agent-card.json', '/x']);
    expect(other.connections).toBe(0);
  });
});

describe('a peer that is not there, or means harm', () => {
  test('is told apart: nothing listens, no such name', async () => {
    const gone = await listen(() => undefined);
    await gone[Symbol.asyncDispose]();
    await expect(send(gone.url)).rejects.toThrow(
      `the peer '${gone.url}' did not take the message: nothing listens there`,
    );
    await expect(send('nowhere.invalid', { allow: ['nowhere.invalid'] })).rejects.toThrow('its name does not resolve');
  });

  const endless: RequestListener = (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x')));
    };
    response.on('drain', more);
    more();
  };
  const drip: RequestListener = (_, response) => {
    const timer = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(timer));
  };
  const one = result({ id: 't', status: { state: 'working' } });

  test.each<[string, RequestListener, string]>([
    ['a body without an end', endless, 'its answer is larger than 10000 bytes'],
    ['no answer', () => undefined, 'it did not answer within 0.3 s'],
    ['a byte now and then', drip, 'it did not answer within 0.3 s'],
    ['half an answer', (_, response) => void response.write('{', () => response.destroy()), 'its answer broke off'],
    ['a closed connection', (request) => request.destroy(), 'it closed the connection without an answer'],
    [
      'an upgrade',
      (request) => void request.socket.end('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'HTTP-upgrade-failed',
    ],
    ['no HTTP', (request) => void request.socket.end('SSH-2.0-x\r\n\r\n'), 'what it answered is not HTTP'],
    [
      'headers without an end',
      (request) => void request.socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
      'header',
    ],
  ])('%s, as its card and as its answer, costs no more than its limits', async (_what, harm, reason) => {
    await using bad = await listen(harm);
    await expect(send(bad.url, { limits: tight })).rejects.toThrow(reason);
    await using worse = await listen((request, response) => {
      if (request.method === 'GET') response.writeHead(404).end();
      else harm(request, response);
    });
    await expect(send(worse.url, { limits: tight })).rejects.toThrow(reason);
    await Promise.all([bad.drained(), worse.drained()]);
  });

  test.each<[string, (id: unknown) => unknown, string]>([
    ['no JSON', () => 'what?', 'it answered with something that is no JSON-RPC'],
    ['a list', () => '[1]', 'it answered with something that is no JSON-RPC'],
    ['an answer to somebody else', () => one('req_other'), 'it answered another request'],
    ['a task without an id', result({ status: { state: 'working' } }), 'something that is no task'],
    [
      'an id as long as a book',
      result({ id: 'x'.repeat(2000), status: { state: 'working' } }),
      'something that is no task',
    ],
    ['a state that is none', result({ id: 't', status: { state: '__proto__' } }), 'something that is no task'],
    ['nothing', result(null), 'something that is no task'],
    [
      'an error that goes on and on',
      (id) => ({ jsonrpc: '2.0', id, error: { code: -32602, message: 'no'.repeat(1000) } }),
      `it refused the message: ${'no'.repeat(150)}... (-32602)`,
    ],
    ['an error that says nothing', (id) => ({ jsonrpc: '2.0', id, error: 'x' }), 'it refused the message'],
  ])('that answers with %s is told so', async (_what, answer, reason) => {
    await using server = await listen(agent(undefined, answer));
    await expect(send(server.url)).rejects.toThrow(reason);
  });

  test('does not see more of a message than any door takes', async () => {
    await using server = await listen(agent(undefined, one));
    const huge = { ...message, text: 'x'.repeat(8 * 1024 * 1024) };
    await expect(send(server.url, { message: huge })).rejects.toThrow('no peer takes more than 8388608');
    expect(server.arrived.map(({ method }) => method)).toEqual(['GET']);
  });

  test('is let go when nobody waits for its answer any more', async () => {
    const stop = new AbortController();
    await using server = await listen(() => stop.abort(new Error('the call is over')));
    await expect(send(server.url, { signal: stop.signal })).rejects.toThrow('the call is over');
    await server.drained();
    await expect(send(server.url, { signal: stop.signal })).rejects.toThrow('the call is over');
    expect(server.connections).toBe(1);
  });

  test('that accepts and never reads is given up in time', async () => {
    const sockets = new Set<{ destroy(): void }>();
    const server = createServer((socket) => sockets.add(socket.pause()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      await expect(send(`127.0.0.1:${port}`, { limits: tight })).rejects.toThrow('it did not answer within 0.3 s');
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });
});

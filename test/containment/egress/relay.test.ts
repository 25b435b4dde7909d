/** The relay with real sockets, without a namespace: what it accepts is "inside", the address tells the name. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { dialer } from '../../../src/containment/egress/dial.js';
import { Names } from '../../../src/containment/egress/names.js';
import { Refusals } from '../../../src/containment/egress/refusals.js';
import { Relay, relayLimits } from '../../../src/containment/egress/relay.js';
import type { Dial, EgressDenied } from '../../../src/containment/egress/types.js';
import { parseAllowEntry } from '../../../src/policy/network.js';
import { hostServer } from './inside.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function relay(dial: Dial, limits = relayLimits) {
  const listener: Server = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const facts: EgressDenied[] = [];
  const refusals = new Refusals((fact) => facts.push(fact));
  // The rule that lets the literal address out; the dial decides where it really leads.
  const made = new Relay([parseAllowEntry(`127.0.0.1:${port}`)], new Names([]), dial, refusals, limits);
  made.serve(listener);
  cleanups.push(() => made.close());
  return { port, facts, counts: refusals.counts, close: () => made.close() };
}

function client(port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  cleanups.push(() => socket.destroy());
  socket.on('error', () => {});
  return socket.resume();
}

/** Why a socket ended: its error code, or `end`. */
async function fate(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    socket.once('end', () => resolve('end'));
  });
}

async function upstream(onConnection: (socket: Socket) => void = (socket) => void socket.resume()) {
  const server = await hostServer(onConnection);
  cleanups.push(() => server.close());
  const dial: Dial = async () => {
    const socket = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true });
    await once(socket, 'connect');
    return socket;
  };
  return { ...server, dial };
}

test('connections beyond the limit are dropped, and one that ends makes room', async () => {
  const server = await upstream((socket) => void socket.write('.'));
  const { port, counts } = await relay(server.dial, { ...relayLimits, connections: 2 });
  const [first, second] = [client(port), client(port)];
  await Promise.all([once(first, 'data'), once(second, 'data')]);
  expect(await fate(client(port))).toBe('ECONNRESET');
  expect(counts).toMatchObject({ connections: 2, dropped: 1 });
  first.resetAndDestroy();
  // The room is made when the relay has seen the end; until then another attempt is dropped too.
  for (;;) {
    const next = client(port);
    const outcome = await Promise.race([once(next, 'data').then(() => 'served'), fate(next)]);
    if (outcome === 'served') break;
  }
});

test('a dial that takes too long is given up, and its connection reset', async () => {
  let wasAborted = false;
  const never: Dial = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        wasAborted = true;
        reject(new Error('given up'));
      });
    });
  const { port, counts } = await relay(never, { ...relayLimits, dialMs: 30 });
  expect(await fate(client(port))).toBe('ECONNRESET');
  expect(wasAborted).toBe(true);
  expect(counts.connections).toBe(0);
});

test('a connection without a byte in either direction is reset on both sides', async () => {
  let ended: Promise<string> | undefined;
  const server = await upstream((socket) => {
    ended = fate(socket.resume());
  });
  const { port } = await relay(server.dial, { ...relayLimits, idleMs: 40 });
  expect(await fate(client(port))).toBe('ECONNRESET');
  expect(await ended).toBe('ECONNRESET');
});

test('a reset on one side is a reset on the other', async () => {
  const server = await upstream((socket) => {
    socket.once('data', () => socket.resetAndDestroy());
  });
  const { port } = await relay(server.dial);
  const socket = client(port);
  socket.write('hello');
  expect(await fate(socket)).toBe('ECONNRESET');
});

test('closing gives up what is being dialled', async () => {
  let begun = () => {};
  const called = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const never: Dial = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('given up')));
      begun();
    });
  const { port, close } = await relay(never);
  const ended = fate(client(port));
  await called;
  await close();
  expect(['ECONNRESET', 'end']).toContain(await ended);
});

test('a name that resolves to a private address is not dialled when no rule permits that', async () => {
  const server = await upstream();
  const dial = dialer({ privateNames: [], resolve: async () => [{ address: '127.0.0.1', family: 4 as const }] });
  const target = { host: 'api.example', port: server.port, matching: [parseAllowEntry('api.example')] };
  await expect(dial(target, new AbortController().signal)).rejects.toMatchObject({ code: 'ERR_MUR_PRIVATE_ADDRESS' });
  expect(server.connections()).toBe(0);
});

test.each([
  ['a rule in URL form with a port', ['http://api.example:PORT'], []],
  ['a name the operator lists as private', ['api.example'], ['api.example']],
])('%s may lead to a private address', async (_, entries, privateNames) => {
  const server = await upstream((socket) => void socket.end('.'));
  const dial = dialer({ privateNames, resolve: async () => [{ address: '127.0.0.1', family: 4 as const }] });
  const matching = entries.map((entry) => parseAllowEntry(entry.replace('PORT', String(server.port))));
  const socket = await dial({ host: 'api.example', port: server.port, matching }, new AbortController().signal);
  cleanups.push(() => socket.destroy());
  expect(String((await once(socket, 'data'))[0])).toBe('.');
});

/**
 * A process that lives for a moment inside a session's fresh network namespace: it makes every address local, opens the listeners and
 * hands them to the runtime over Node's IPC. A socket keeps the namespace it was made in, so the runtime serves them from outside.
 * Started by src/containment/egress/helper.ts as `unshare -c -n --keep-caps -- node network-helper.js <request>`; ended by it.
 * Nothing of a capsule runs here.
 */
import { createSocket, type Socket } from 'node:dgram';
import { createRequire } from 'node:module';
import { createServer, type Server } from 'node:net';
import { addAddress6, errnoOf, linkUp, localDefault } from './netlink.js';

export interface HelperRequest {
  readonly ports: readonly number[];
  /** IPv4 loopback addresses, beside 127.0.0.1, at which the host's libraries look for a resolver (127.0.0.53). */
  readonly loopbackResolvers: readonly string[];
  /** IPv6 addresses at which they look for one. */
  readonly resolvers6: readonly string[];
}

/** With `tcp` and `udp` comes the socket itself. */
export type HelperMessage =
  | { readonly type: 'tcp'; readonly port: number }
  | { readonly type: 'udp' }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly reason: string };

interface Koffi {
  load(library: null): { func(prototype: string): (...values: unknown[]) => number };
  errno(): number;
}

/** The loopback of a fresh namespace is its first interface. */
const loopback = 1;
const afNetlink = 16;
const afInet6 = 10;
const rawSocket = 3;
const closeOnExec = 0o2000000;

function tell(message: HelperMessage, handle?: Server | Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send!(message, handle, {}, (error) => (error === null ? resolve() : reject(error)));
  });
}

interface Native {
  /** Sends one request; throws with the name of the step when the kernel refuses it. */
  ask(step: string, request: Uint8Array): void;
  /** The 16 bytes of an IPv6 address. */
  bytesOf(address: string): Uint8Array;
}

function native(): Native {
  const koffi = loadKoffi();
  const libc = koffi.load(null);
  const send = libc.func('long send(int fd, const void *bytes, size_t length, int flags)');
  const receive = libc.func('long recv(int fd, _Out_ uint8_t *bytes, size_t length, int flags)');
  const fd = libc.func('int socket(int domain, int type, int protocol)')(afNetlink, rawSocket | closeOnExec, 0);
  if (fd < 0) throw new Error(`netlink socket: errno ${koffi.errno()}`);
  const parse = libc.func('int inet_pton(int family, const char *text, _Out_ uint8_t *bytes)');
  const ask: Native['ask'] = (step, request) => {
    if (send(fd, request, request.length, 0) < 0) throw new Error(`${step}: errno ${koffi.errno()}`);
    const answer = new Uint8Array(4096);
    const length = receive(fd, answer, answer.length, 0);
    const errno = length < 0 ? koffi.errno() : errnoOf(answer.subarray(0, length));
    if (errno !== 0) throw new Error(`${step}: errno ${errno ?? 'unknown'}`);
  };
  const bytesOf = (address: string) => {
    const bytes = new Uint8Array(16);
    if (parse(afInet6, address, bytes) !== 1) throw new Error(`'${address}' is no IPv6 address`);
    return bytes;
  };
  return { ask, bytesOf };
}

function loadKoffi(): Koffi {
  try {
    return createRequire(import.meta.url)('koffi') as Koffi;
  } catch (error) {
    throw new Error('koffi, an optional dependency of mur, is not installed or does not load', { cause: error });
  }
}

/** True when IPv6 works too. Where it does not, there is no route for it, so nothing leaves by it either. */
function makeEverythingLocal(request: HelperRequest): boolean {
  const { ask, bytesOf } = native();
  ask('bring lo up', linkUp(loopback));
  ask('local default route', localDefault('ipv4', loopback));
  try {
    ask('local default route of IPv6', localDefault('ipv6', loopback));
    for (const address of request.resolvers6) ask('address of a resolver', addAddress6(loopback, bytesOf(address)));
    return true;
  } catch {
    return false;
  }
}

async function listen(port: number, ipv6: boolean): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: ipv6 ? '::' : '0.0.0.0', backlog: 128 }, resolve);
  });
  return server;
}

/** `reuseAddr`, because a loopback resolver needs a socket of its own beside the one for every address: else answers have another source. */
async function bind(type: 'udp4' | 'udp6', address: string): Promise<Socket> {
  const socket = createSocket({ type, reuseAddr: true, ipv6Only: type === 'udp6' });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ port: 53, address }, resolve);
  });
  return socket;
}

async function serve(request: HelperRequest): Promise<void> {
  const ipv6 = makeEverythingLocal(request);
  for (const port of request.ports) await tell({ type: 'tcp', port }, await listen(port, ipv6));
  for (const address of ['0.0.0.0', ...request.loopbackResolvers]) {
    await tell({ type: 'udp' }, await bind('udp4', address));
  }
  if (ipv6) await tell({ type: 'udp' }, await bind('udp6', '::'));
  await tell({ type: 'ready' });
}

// The channel is all that keeps this process; without a runtime there is nothing to stay for.
process.on('disconnect', () => process.exit(0));
process.on('message', () => {});
serve(JSON.parse(process.argv[2]!) as HelperRequest).catch((error: Error) =>
  tell({ type: 'failed', reason: error.message }).finally(() => process.exit(1)),
);

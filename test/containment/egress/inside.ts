/** Runs programs inside a session's network, and a server outside that counts who reaches it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import {
  type DialerOptions,
  dialer,
  type EgressDenied,
  openSessionNetwork,
  type SessionNetwork,
} from '../../../src/containment/egress/index.js';
import { parseAllowEntry } from '../../../src/policy/network.js';

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function inside(
  network: SessionNetwork,
  command: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const child = spawn(
    'nsenter',
    ['--user=/proc/self/fd/3', '--net=/proc/self/fd/4', '--preserve-credentials', '--', ...command],
    {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe', network.usernsFd, network.netnsFd],
    },
  );
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, ...text };
}

/** Runs a script of Node inside; what it prints is JSON. */
export async function scriptInside<T>(network: SessionNetwork, script: string): Promise<T> {
  const ended = await inside(network, [process.execPath, '--input-type=module', '-e', script]);
  if (ended.exitCode !== 0) throw new Error(ended.stderr);
  return JSON.parse(ended.stdout) as T;
}

export async function open(
  allow: readonly string[],
  options: DialerOptions = { privateNames: [] },
): Promise<{ network: SessionNetwork; facts: EgressDenied[] }> {
  const facts: EgressDenied[] = [];
  const network = await openSessionNetwork({
    rules: allow.map(parseAllowEntry),
    dial: dialer(options),
    onRefused: (fact) => facts.push(fact),
  });
  if ('refused' in network) throw new Error(network.refused);
  return { network, facts };
}

/** A server on the host's loopback. `connections` counts everybody who reached it. */
export async function hostServer(
  onConnection: (socket: Socket) => void,
): Promise<{ port: number; server: Server; connections: () => number; close(): Promise<void> }> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    server,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers one HTTP request with its own text. */
export function answerHttp(body: string): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => {
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
    });
  };
}

export function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

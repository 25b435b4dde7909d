/**
 * What listens on a machine while a session tries to talk to it. What they heard decides whether anything left; the words of the
 * program inside decide nothing.
 */
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Exfiltration } from './cases/network.js';

export interface Listeners {
  /** The port of the allowed host. It redirects `/redirect?to=x` and `/redirect6?to=x` to the decoy. */
  readonly api: number;
  readonly decoy: number;
  readonly udp: number;
  /** All that arrived, by listener. */
  readonly heard: { api: string; decoy: string; udp: string; unix: string };
  close(): Promise<void>;
}

/** Opens them: TCP and UDP of both families, the port of name servers where this user may have it, and unix sockets at `unix`. */
export async function listen(unix: readonly string[] = []): Promise<Listeners> {
  const heard = { api: '', decoy: '', udp: '', unix: '' };
  const decoy = await tcp((text) => {
    heard.decoy += text;
    return 'HTTP/1.0 200 OK\r\n\r\nstolen';
  });
  const api = await tcp((text) => {
    heard.api += text;
    const to = /^GET \/redirect(6?)\?to=(\S+)/.exec(text);
    if (to === null) return 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nwelcome';
    return `HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: http://${to[1] ? '[::1]' : '127.0.0.1'}:${portOf(decoy)}/${to[2]}\r\n\r\n`;
  });
  const paths = await Promise.all(unix.map((path) => unixListener(path, (text) => (heard.unix += text))));
  const udp = await udpOn({ address: '::', port: 0 }, heard);
  // Where the attempts look for a name server. Not everywhere: other tests have one, each at an address of its own.
  const dns = await Promise.all(
    ['127.0.0.1', '127.0.0.53', ownAddress()].map((address) =>
      udpOn({ address, port: 53 }, heard).catch(() => undefined),
    ),
  );
  return {
    api: portOf(api),
    decoy: portOf(decoy),
    udp: udp.address().port,
    heard,
    close: async () => {
      udp.close();
      for (const each of dns) each?.close();
      await Promise.all([api, decoy, ...paths].map((server) => new Promise((done) => server.close(done))));
    },
  };
}

/** How other programs name an abstract socket that Node listens at: libuv fills the name up with zero bytes. */
export function abstractName(path: string): string {
  return path.padEnd(108, '\0');
}

/** A unix socket that reads all it is sent. A name that begins with a zero byte is abstract. */
export function unixListener(path: string, hear: (text: string) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => hear(chunk.toString('latin1')));
    socket.on('end', () => socket.end());
  });
  return new Promise((resolve, reject) => server.once('error', reject).listen(path, () => resolve(server)));
}

function tcp(answer: (text: string) => string): Promise<Server> {
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (text.includes('\r\n\r\n') || text.includes('EXFIL')) socket.end(answer(text));
    });
  });
  return new Promise((resolve, reject) => server.once('error', reject).listen(0, '::', () => resolve(server)));
}

function udpOn(at: { address: string; port: number }, heard: { udp: string }): Promise<Datagrams> {
  const socket = createSocket({ type: at.address.includes(':') ? 'udp6' : 'udp4' });
  socket.on('message', (message) => {
    heard.udp += message.toString('latin1');
  });
  return new Promise((resolve, reject) => socket.once('error', reject).bind(at, () => resolve(socket)));
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** An address of this machine that is not the loopback's, where it has one. */
export function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal);
  return found?.address ?? '127.0.0.2';
}

/** What an attempt sends: it names the attempt, so that an arrival tells which way was open. */
export function tokenOf(id: string, run: string): string {
  return `EXFIL${id.replaceAll('-', '')}${run}`.slice(0, 60);
}

/** Where the token of an attempt arrived and should not have. `folders`: where a file of that name would be one. */
export function arrivals(
  { id, arrives }: Exfiltration,
  token: string,
  heard: Listeners['heard'],
  folders: readonly string[],
): readonly string[] {
  const isAllowed = arrives === true || id === 'exfil-redirect';
  return [
    ...(heard.decoy.includes(token) ? ['TCP listener'] : []),
    ...(heard.udp.toLowerCase().includes(token.toLowerCase()) ? ['UDP listener'] : []),
    ...(heard.unix.includes(token) ? ['unix socket'] : []),
    ...(!isAllowed && heard.api.includes(token) ? ['the allowed host, by a way that is not allowed'] : []),
    ...['/var/tmp', '/dev/shm', ...folders].filter((folder) => existsSync(join(folder, token))),
  ];
}

/** Whether the allowed part of an attempt got through; true where nothing of it is allowed. */
export function hasArrived({ id, arrives }: Exfiltration, token: string, heard: Listeners['heard']): boolean {
  return arrives === true || id === 'exfil-redirect' ? heard.api.includes(token) : true;
}

/** Loopback servers for the egress tests: what arrived, how many sockets are open. Not a test. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** `http(s)://127.0.0.1:<port>` */
  readonly url: string;
  /** Requests whose body came to its end. */
  readonly arrived: Arrived[];
  readonly connections: number;
  readonly openSockets: number;
  /** Resolves when no socket is open. */
  drained(): Promise<void>;
}

export async function listen(answer: RequestListener, tls?: { key: string; cert: string }): Promise<TestServer> {
  const arrived: Arrived[] = [];
  const sockets = new Set<Socket>();
  const empty: (() => void)[] = [];
  let connections = 0;
  const record: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.once('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      arrived.push({ method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString() });
    });
    answer(request, response);
  };
  const server: Server = tls === undefined ? createServer(record) : (createTlsServer(tls, record) as unknown as Server);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const each of empty.splice(0)) each();
    });
  });
  server.on('clientError', (_, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    arrived,
    get connections() {
      return connections;
    },
    get openSockets() {
      return sockets.size;
    },
    drained: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => empty.push(resolve))),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A key and a certificate that nobody vouches for. */
export function selfSigned(): { key: string; cert: string } {
  const dir = mkdtempSync(join(tmpdir(), 'mur-tls-'));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...args, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const pair = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(dir, { recursive: true });
  return pair;
}

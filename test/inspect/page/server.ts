/** Serves the built page with the policy it must live under, and plays frames to whoever connects. Stands in for the hub. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Frame } from '../../../src/inspect/frame.js';

const built = join(import.meta.dirname, '../../../dist/inspect-page');
const types = { 'index.html': 'text/html; charset=utf-8', 'page.js': 'text/javascript', 'page.css': 'text/css' };

export const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src data:; frame-ancestors 'none'";

export interface PageServer {
  readonly url: string;
  /** To every client that is connected. */
  send(frames: readonly Frame[]): void;
  /** One message, word for word. */
  sendText(text: string): void;
  /** Ends every connection, as a process that ends does; new ones are refused until `accept`. */
  drop(options?: { readonly refuse?: boolean }): void;
  accept(): void;
  /** Paths that were asked for. */
  readonly requested: string[];
  close(): Promise<void>;
}

/** `greet` gives what a new client is sent first. */
export async function servePage(greet: () => readonly Frame[]): Promise<PageServer> {
  const requested: string[] = [];
  const http = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    requested.push(path);
    const name = (path === '/' ? 'index.html' : path.slice(1)) as keyof typeof types;
    const type = types[name];
    if (type === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': type,
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
    });
    response.end(readFileSync(join(built, name)));
  });
  const clients = new Set<WebSocket>();
  let isRefusing = false;
  const sockets = new WebSocketServer({
    server: http,
    path: '/inspect',
    verifyClient: () => !isRefusing,
    handleProtocols: (offered) => offered.has('mur.inspect.v1') && 'mur.inspect.v1',
  });
  sockets.on('connection', (socket) => {
    clients.add(socket);
    socket.on('close', () => clients.delete(socket));
    const frames = greet();
    for (let from = 0; from < frames.length; from += 500) socket.send(JSON.stringify(frames.slice(from, from + 500)));
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    requested,
    send: (frames) => {
      for (const client of clients) client.send(JSON.stringify(frames));
    },
    sendText: (text) => {
      for (const client of clients) client.send(text);
    },
    accept: () => {
      isRefusing = false;
    },
    drop: ({ refuse = false } = {}) => {
      isRefusing = refuse;
      for (const client of clients) client.terminate();
    },
    close: async () => {
      for (const client of clients) client.terminate();
      sockets.close();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

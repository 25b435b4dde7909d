import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MurError, reasonOf } from '../../errors/index.js';
import { Access } from '../access.js';
import { createEndpoint } from '../endpoint.js';
import { limits } from '../limits.js';
import { type Sink, socketSink } from './sink.js';

/** The server of `mur inspect`: the page and its frames, for this user on this machine. */
export interface InspectServer {
  readonly port: number;
  /** An address of the page that works once. */
  link(): string;
  close(): Promise<void>;
}

export interface ServerOptions {
  /** 0 lets the system choose. */
  readonly port: number;
  /** Shows the sessions to one page. */
  show(sink: Sink): Promise<void>;
  /** Folder of the page, for tests. */
  readonly page?: URL;
}

/** Listens on loopback. `E-IO-003` when the port cannot be had. */
export async function openServer({ port, show, page }: ServerOptions): Promise<InspectServer> {
  const access = new Access();
  const open = new Set<{ terminate(): void }>();
  const endpoint = createEndpoint({
    access,
    hasRoom: () => open.size < limits.clients,
    connected(socket, isStately) {
      // The frames of @statelyai/inspect come from a session's own door, or go to a relay with --bridge.
      if (isStately) return socket.close(1002, 'ask for the subprotocol mur.inspect.v1');
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      void show(socketSink(socket)).catch((error) => socket.close(1011, reasonOf(error).slice(0, 100)));
    },
    ...(page === undefined ? {} : { page }),
  });
  const server = createServer((request, response) => {
    if (!endpoint.serve(request, response)) response.writeHead(404, { connection: 'close' }).end();
  });
  server.on('upgrade', endpoint.upgrade);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '127.0.0.1', port }, resolve);
    });
  } catch (error) {
    throw new MurError('E-IO-003', `mur inspect cannot listen on port ${port}: ${reasonOf(error)}`, {
      hint: 'give --port another number, or leave it out',
      cause: error,
    });
  }
  const bound = (server.address() as AddressInfo).port;
  access.listensOn(bound);
  return {
    port: bound,
    link: () => access.link(),
    async close() {
      for (const socket of open) socket.terminate();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

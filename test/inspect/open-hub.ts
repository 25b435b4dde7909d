/** A server with a hub behind it, over real sockets: for tests and benchmarks. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Access } from '../../src/inspect/access.js';
import { batched, Client } from '../../src/inspect/client.js';
import { createEndpoint } from '../../src/inspect/endpoint.js';
import { Hub } from '../../src/inspect/hub.js';
import { type Limits, limits as standardLimits } from '../../src/inspect/limits.js';
import { statelyMessages } from '../../src/inspect/stately.js';

export interface OpenHub {
  readonly hub: Hub;
  readonly access: Access;
  readonly port: number;
  readonly token: string;
  /** As the hub sees them, in order of arrival. */
  readonly clients: Client[];
  close(): Promise<void>;
}

export async function openHub(given: Partial<Limits> = {}): Promise<OpenHub> {
  const limits = { ...standardLimits, ...given };
  const hub = new Hub({ scope: '*', now: () => Date.now(), limits });
  const access = new Access();
  const clients: Client[] = [];
  const endpoint = createEndpoint({
    access,
    hasRoom: () => hub.clients < limits.clients,
    connected: (socket, isStately) => {
      const client = new Client(socket, isStately ? statelyMessages : batched, limits);
      clients.push(client);
      if (!hub.connect(client)) client.terminate();
    },
  });
  const server: Server = createServer((request, response) => {
    if (!endpoint.serve(request, response)) response.writeHead(404).end();
  });
  server.on('upgrade', endpoint.upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  access.listensOn(port);
  return {
    hub,
    access,
    port,
    token: access.token.reveal(),
    clients,
    async close() {
      await hub.close('test ended');
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MurError, reasonOf } from '../errors/index.js';
import type { Clock } from '../supervise/clock.js';
import { buildCard, buildExtendedCards } from './card.js';
import { cardPage } from './card-page.js';
import { servedMethods } from './dialects/index.js';
import { hostGuard } from './guards/host.js';
import { handle } from './handle.js';
import { DoorServer } from './server.js';
import { serveUpgrades } from './side.js';
import type { DoorSite } from './site.js';
import { type Door, type DoorLimits, type DoorOptions, defaultLimits } from './types.js';

/**
 * A door that is listening. Rejects with `E-RUN-010` when the configured port is taken and `E-IO-003` when the address
 * cannot be bound.
 *
 * It holds no task state: it answers from `options.tasks`, so it answers while a turn runs.
 *
 * Does not stop: another program of this user, which may do all that a person may; a client that keeps all connections
 * busy, for as long as `requestMs` each. Who may ask is settled by `options.auth`; a door without it answers everybody.
 */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const limits: DoorLimits = { ...defaultLimits, ...options.limits };
  let site: DoorSite | undefined;
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (options.side?.serve(request, response) === true) return;
    // A bug in an answer costs one connection, never the session behind the door.
    handle(site!, request, response).then(
      () => server.shed(response),
      () => response.destroy(),
    );
  };
  const server = new DoorServer(limits, serve);
  if (options.side !== undefined) serveUpgrades(server, options.side);
  await listen(server, options);
  // A connection that could not be accepted (out of descriptors) is lost to its client only.
  server.on('error', () => undefined);
  const { port, address } = server.address() as AddressInfo;
  site = siteOf(options, limits, port);
  let closing: Promise<void> | undefined;
  return {
    url: `localhost:${port}`,
    port,
    address,
    close() {
      closing ??= shut(server, options.clock, limits.closeMs);
      return closing;
    },
  };
}

function siteOf(
  { card, tasks, auth, streams, bindAddr, clock }: DoorOptions,
  limits: DoorLimits,
  port: number,
): DoorSite {
  const isAuthenticated = auth !== undefined;
  const { acceptance, sessionId, acceptsPeerTasks, name } = card;
  const served = { acceptance, tasks, hasStreams: streams !== undefined, isAuthenticated };
  const methods = servedMethods(served);
  const door = { port, methods, isAuthenticated };
  return {
    ...served,
    isOwnHost: hostGuard(bindAddr),
    port,
    sessionId,
    acceptsPeerTasks,
    capsuleName: name,
    auth,
    streams,
    methods: methods.all,
    clock,
    limits,
    card: cardPage(JSON.stringify(buildCard(card, door))),
    extendedCards: isAuthenticated ? buildExtendedCards(card, door) : undefined,
  };
}

async function listen(server: DoorServer, { bindAddr, port }: DoorOptions): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: bindAddr, port: port ?? 0 }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new MurError('E-RUN-010', `internal_port ${port} is already bound`, {
        hint: 'stop what listens there, or choose another network.internal_port',
        cause: error,
      });
    }
    throw new MurError('E-IO-003', `the door cannot listen on ${bindAddr}: ${reasonOf(error)}`, {
      hint: 'pass --bind an address of this machine',
      cause: error,
    });
  }
}

async function shut(server: DoorServer, clock: Clock, closeMs: number): Promise<void> {
  server.drain();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const finished = new AbortController();
  const grace = clock.sleep(closeMs, finished.signal).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  await closed;
  finished.abort();
  await grace;
}

/**
 * The way out of a session's network: takes each connection a command makes, asks the rules where it may go, connects there from
 * outside and passes bytes both ways. What no rule allows is reset, unread (spec/containment.md 14.3).
 * Not inspected: what is sent to an allowed host. A name on the wire (TLS SNI, HTTP Host) is the command's claim and decides nothing.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { NetworkRule } from '../../policy/network.js';
import { privateAddressCode } from '../../wasm/egress/errors.js';
import { destinationOf } from './allow.js';
import type { Names } from './names.js';
import type { Refusals } from './refusals.js';
import type { Dial, DialTarget } from './types.js';

export interface RelayLimits {
  readonly connections: number;
  readonly dialMs: number;
  readonly idleMs: number;
}

export const relayLimits: RelayLimits = { connections: 128, dialMs: 15_000, idleMs: 300_000 };

export class Relay {
  readonly #rules: readonly NetworkRule[];
  readonly #names: Names;
  readonly #dial: Dial;
  readonly #refusals: Refusals;
  readonly #limits: RelayLimits;
  readonly #servers: Server[] = [];
  /** Both ends of every connection. */
  readonly #sockets = new Set<Socket>();
  readonly #dialling = new Set<AbortController>();
  #open = 0;
  #closed = false;

  constructor(rules: readonly NetworkRule[], names: Names, dial: Dial, refusals: Refusals, limits = relayLimits) {
    this.#rules = rules;
    this.#names = names;
    this.#dial = dial;
    this.#refusals = refusals;
    this.#limits = limits;
  }

  /** Serves a listener made elsewhere. Its own server object must not be used any more. */
  serve(listener: Server): void {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (socket) => {
      this.#accept(socket).catch(() => socket.resetAndDestroy());
    });
    server.on('error', () => {});
    server.listen(listener);
    server.unref();
    this.#servers.push(server);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const abort of this.#dialling) abort.abort();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  async #accept(client: Socket): Promise<void> {
    client.on('error', () => {});
    if (this.#closed || this.#open >= this.#limits.connections) {
      this.#refusals.counts.dropped += 1;
      client.resetAndDestroy();
      return;
    }
    this.#open += 1;
    this.#keep(client);
    client.once('close', () => {
      this.#open -= 1;
    });
    // Gone already when the client reset meanwhile.
    const { localAddress, localPort } = client;
    if (localAddress === undefined || localPort === undefined) return;
    const target = destinationOf(this.#rules, (address) => this.#names.nameOf(address), localAddress, localPort);
    if ('refused' in target) {
      this.#refusals.connection('not-allowed', target.refused);
      client.resetAndDestroy();
      return;
    }
    const server = await this.#connect(target, client);
    if (server === undefined) client.resetAndDestroy();
    else splice(client, server, this.#limits.idleMs);
  }

  async #connect(target: DialTarget, client: Socket): Promise<Socket | undefined> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), this.#limits.dialMs);
    this.#dialling.add(abort);
    try {
      const server = await this.#dial(target, abort.signal);
      server.on('error', () => {});
      this.#keep(server);
      if (this.#closed || client.destroyed) {
        server.destroy();
        return undefined;
      }
      this.#refusals.counts.connections += 1;
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === privateAddressCode) {
        this.#refusals.connection('private-address', `${target.host}:${target.port}`);
      }
      return undefined;
    } finally {
      clearTimeout(timer);
      this.#dialling.delete(abort);
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** Passes bytes both ways; one end may finish before the other. An error or a long silence ends both. */
function splice(client: Socket, server: Socket, idleMs: number): void {
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.once('close', (hadError) => {
      if (hadError) other.resetAndDestroy();
    });
    one.pipe(other);
  }
  // Every byte of either direction passes through this socket.
  client.setTimeout(idleMs, () => {
    client.resetAndDestroy();
    server.resetAndDestroy();
  });
}

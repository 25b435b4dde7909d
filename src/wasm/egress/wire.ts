import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { HttpErrorCode } from '../../../workers/wasi/http/messages.js';
import type { HttpScheme } from '../../policy/network.js';
import { httpErrorOf } from './errors.js';
import type { WireHeader } from './headers.js';

/** One request as it goes on the wire. */
export interface WireRequest {
  readonly scheme: HttpScheme;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** Value of the `host` header. */
  readonly authority: string;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly WireHeader[];
  readonly lookup: LookupFunction;
}

export interface WireTimeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
}

export interface WireEvents {
  responded(response: IncomingMessage): void;
  failed(error: HttpErrorCode): void;
  drained(): void;
}

export interface Wire {
  readonly request: ClientRequest;
  /** Ends the connection. No event follows. Idempotent. */
  destroy(): void;
}

/**
 * Opens a connection of its own for one request: no pool, no proxy from the environment, certificates always checked, redirects never
 * followed. The caller writes the body to `request` and ends it.
 */
export function dial(
  wire: WireRequest,
  framing: readonly WireHeader[],
  timeouts: WireTimeouts,
  events: WireEvents,
): Wire {
  const send = wire.scheme === 'https' ? httpsRequest : httpRequest;
  const request = send({
    hostname: wire.host,
    port: wire.port,
    method: wire.method,
    path: wire.path,
    agent: false,
    lookup: wire.lookup,
    rejectUnauthorized: true,
    setHost: false,
  });
  let open = true;
  let timer: NodeJS.Timeout | undefined;
  const settle = (act: () => void): void => {
    clearTimeout(timer);
    if (open) act();
  };
  const failLater = (ms: number, error: () => HttpErrorCode): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!open) return;
      open = false;
      request.destroy();
      events.failed(error());
    }, ms);
  };

  let resolved = isIP(wire.host) !== 0;
  failLater(timeouts.connectMs, () => ({ tag: resolved ? 'connection-timeout' : 'DNS-timeout' }));
  request.once('socket', (socket: Socket) => {
    socket.once('lookup', () => {
      resolved = true;
    });
    socket.once(wire.scheme === 'https' ? 'secureConnect' : 'connect', () => clearTimeout(timer));
  });
  request.once('finish', () => {
    if (open) failLater(timeouts.firstByteMs, () => ({ tag: 'HTTP-response-timeout' }));
  });
  request.on('drain', () => events.drained());
  request.once('response', (response: IncomingMessage) => settle(() => events.responded(response)));
  // Stays for the life of the request: an error after `destroy` has nobody else to go to.
  request.on('error', (error) => settle(() => events.failed(httpErrorOf(error))));
  const destroy = (): void => {
    open = false;
    clearTimeout(timer);
    request.destroy();
  };

  try {
    request.setHeader('host', wire.authority);
    for (const [name, value] of [...wire.headers, ...framing]) request.appendHeader(name, value);
  } catch (error) {
    destroy();
    throw error;
  }
  return { request, destroy };
}

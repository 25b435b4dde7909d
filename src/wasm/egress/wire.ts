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
  let answered = false;
  const timers: NodeJS.Timeout[] = [];
  const destroy = (): void => {
    open = false;
    for (const timer of timers) clearTimeout(timer);
    request.destroy();
  };
  const fail = (error: HttpErrorCode): void => {
    if (!open) return;
    destroy();
    events.failed(error);
  };
  const failAfter = (ms: number, error: () => HttpErrorCode): NodeJS.Timeout => {
    const timer = setTimeout(() => fail(error()), ms);
    timers.push(timer);
    return timer;
  };

  let resolved = isIP(wire.host) !== 0;
  const connecting = failAfter(timeouts.connectMs, () => ({ tag: resolved ? 'connection-timeout' : 'DNS-timeout' }));
  request.once('socket', (socket: Socket) => {
    socket.once('lookup', () => {
      resolved = true;
    });
    socket.once(wire.scheme === 'https' ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
  });
  // An answer may come before the request is out.
  request.once('finish', () => {
    if (open && !answered) failAfter(timeouts.firstByteMs, () => ({ tag: 'HTTP-response-timeout' }));
  });
  request.on('drain', () => {
    if (open) events.drained();
  });
  request.once('response', (response: IncomingMessage) => {
    answered = true;
    for (const timer of timers) clearTimeout(timer);
    if (open) events.responded(response);
  });
  // Without this listener Node ends the connection and says nothing.
  request.once('upgrade', (_, socket) => {
    socket.destroy();
    fail({ tag: 'HTTP-upgrade-failed' });
  });
  request.once('close', () => {
    if (!answered) fail({ tag: 'connection-terminated' });
  });
  // Stays for the life of the request: an error after `destroy` has nobody else to go to.
  request.on('error', (error) => fail(httpErrorOf(error)));

  try {
    request.setHeader('host', wire.authority);
    for (const [name, value] of [...wire.headers, ...framing]) request.appendHeader(name, value);
  } catch (error) {
    destroy();
    throw error;
  }
  return { request, destroy };
}

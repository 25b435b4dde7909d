/**
 * Who may watch. Every request to the inspection endpoint passes here before anything is read from it or upgraded
 * (cases/reports row 33).
 *
 * Stops: other machines, whatever the door is bound to; web pages of other origins, and pages that rebound their name to
 * loopback; other users of this machine, who cannot read the token.
 *
 * Does not stop: a program of the same user, who may read the token file; under containment `advisory` or `unconfined` that
 * includes commands an agent starts, which is why inspection is off unless asked for.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isExposed } from '../door/exposed.js';
import { hostGuard } from '../door/guards/host.js';
import { isOwnOrigin } from '../door/guards/origin.js';
import { Secret } from '../errors/index.js';
import { PROTOCOL } from './frame.js';

const isOwnHost = hostGuard('127.0.0.1');

/** Where the frames and the page are. */
export const FRAMES_PATH = '/inspect';
export const PAGE_PATH = '/ui/';

/** An HTTP answer that refuses. */
export interface Refusal {
  readonly status: 401 | 403 | 404 | 421 | 503;
  readonly error: string;
  readonly message: string;
}

/** Tickets and links kept; the oldest go first. Far above what a person opens. */
const mostKept = 64;

/** The ways into one inspection endpoint. */
export class Access {
  readonly token: Secret;
  #port = 0;
  /** Values of cookies that were handed out. A cookie never holds the token: browsers send it to every port of this host. */
  readonly #tickets = new Set<string>();
  /** Values that open the page once. */
  readonly #links = new Set<string>();

  constructor(token: Secret = new Secret(fresh())) {
    this.token = token;
  }

  /** The port the server that asks here listens on: part of its own origin, its links and its cookie. */
  listensOn(port: number): void {
    this.#port = port;
  }

  /** An address of the page that works once, for a browser: command lines and histories are no place for the token. */
  link(): string {
    const value = fresh();
    keep(this.#links, value);
    return `http://localhost:${this.#port}${PAGE_PATH}?token=${value}`;
  }

  /** Why this request may not come in; `undefined` when it may. */
  refuse(request: IncomingMessage): Refusal | undefined {
    return this.refuseSender(request) ?? (this.#isKnown(request) ? undefined : unknownClient);
  }

  /** The part of `refuse` that asks for no token. */
  refuseSender({ socket, headers }: IncomingMessage): Refusal | undefined {
    if (isExposed(peerOf(socket.remoteAddress))) return otherMachine;
    if (!isOwnHost(headers.host)) return foreignHost;
    if (!isOwnOrigin(headers.origin, this.#port)) return foreignOrigin;
    return undefined;
  }

  /** The `Set-Cookie` for whoever brings a link that was not used yet, or the token, in the query; else `undefined`. */
  redeem(request: IncomingMessage): string | undefined {
    const value = queryToken(request);
    if (value === undefined || !(this.#links.delete(value) || this.#isToken(value))) return undefined;
    const ticket = fresh();
    keep(this.#tickets, ticket);
    return `${this.#cookie}=${ticket}; Path=/; HttpOnly; SameSite=Strict`;
  }

  get #cookie(): string {
    return `mur_inspect_${this.#port}`;
  }

  #isKnown(request: IncomingMessage): boolean {
    const ticket = cookieOf(request.headers.cookie, this.#cookie);
    if (ticket !== undefined && [...this.#tickets].some((known) => isSame(known, ticket))) return true;
    return offered(request).some((value) => this.#isToken(value));
  }

  #isToken(value: string): boolean {
    return isSame(value, this.token.reveal());
  }
}

const otherMachine: Refusal = {
  status: 403,
  error: 'peer_not_local',
  message: 'inspection answers this machine only: forward the port over ssh to watch from another',
};
const foreignHost: Refusal = { status: 421, error: 'host_not_served', message: 'the Host header names something else' };
const foreignOrigin: Refusal = { status: 403, error: 'origin_not_allowed', message: 'other web pages may not watch' };
const unknownClient: Refusal = {
  status: 401,
  error: 'token_required',
  message: 'run `mur inspect` to open the page, or bring the token of the session',
};

/** The tokens a request offers: `Authorization: Bearer`, the websocket subprotocol `bearer.<token>`, the query. */
function offered(request: IncomingMessage): string[] {
  const { authorization } = request.headers;
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  const protocols = protocolsOf(request)
    .filter((name) => name.startsWith('bearer.'))
    .map((name) => name.slice('bearer.'.length));
  return [bearer, ...protocols, queryToken(request)].filter((value) => value !== undefined);
}

export function protocolsOf({ headers }: IncomingMessage): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}

/** True for a client that speaks our frames; one that names no protocol gets those of @statelyai/inspect. */
export function speaksFrames(request: IncomingMessage): boolean {
  return protocolsOf(request).includes(PROTOCOL);
}

/** The path and the query of a request, whatever a client wrote there. */
export function targetOf(request: IncomingMessage): { readonly path: string; readonly query: URLSearchParams } {
  const [path = '', ...query] = (request.url ?? '').split('?');
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query.join('?')) };
}

function queryToken(request: IncomingMessage): string | undefined {
  return targetOf(request).query.get('token') ?? undefined;
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** `::ffff:127.0.0.1` is how a dual-stack socket calls 127.0.0.1. A socket that is gone has no address and is nobody's. */
function peerOf(address: string | undefined): string {
  return (address ?? '0.0.0.0').replace(/^::ffff:/i, '');
}

/** Equal, in a time that says nothing about where they differ. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function fresh(): string {
  return randomBytes(32).toString('base64url');
}

function keep(values: Set<string>, value: string): void {
  values.add(value);
  const [oldest] = values;
  if (values.size > mostKept && oldest !== undefined) values.delete(oldest);
}

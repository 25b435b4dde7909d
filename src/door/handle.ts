import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Authenticated, authenticate, type Caller, type DoorAuth, refuseMethod } from './auth/index.js';
import { answer, type DialectAnswer, type DialectContext, isVersionOne, pickDialect } from './dialects/index.js';
import { readBody } from './guards/body-limit.js';
import { isJson } from './guards/content-type.js';
import type { hostGuard } from './guards/host.js';
import { isOwnOrigin } from './guards/origin.js';
import { isPeerWelcome } from './guards/peer-consent.js';
import { parseBody, type RpcRequest, replyBody, rpcErrors } from './json-rpc.js';
import type { StreamPort } from './port.js';
import { refusalBody, respond } from './respond.js';
import { readTaskHeaders } from './task-headers.js';
import type { DoorLimits } from './types.js';

/** Everything one request is answered from. Made once, when the door listens. */
export interface DoorSite extends Omit<DialectContext, 'headers' | 'left'> {
  readonly isOwnHost: ReturnType<typeof hostGuard>;
  readonly port: number;
  readonly acceptsPeerTasks: boolean;
  readonly limits: DoorLimits;
  /** The realm of a refusal. */
  readonly capsuleName: string;
  /** Absent: a public door, which answers everybody and ignores `Authorization`. */
  readonly auth?: DoorAuth | undefined;
  /** Serves what a dialect answers as a stream. */
  readonly streams?: StreamPort | undefined;
  /** Every method that does something here, whichever dialect names it. */
  readonly methods: readonly string[];
  /** The card as text: built once, so serving it costs nothing while a turn runs. */
  readonly card: string;
}

/** An HTTP answer; `body` is JSON text. */
interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const notFound: Answer = { status: 404 };
const cardPaths: ReadonlySet<string> = new Set(['/.well-known/agent-card.json', '/.well-known/agent.json']);

/** Answers one request. The order of checks is that of spec/door.md 2.1, after the two guards against web pages. */
export async function handle(site: DoorSite, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const reply = refusePage(site, request) ?? serveCard(site, request) ?? (await serveCaller(site, request, response));
  if (reply === undefined) return;
  respond(request, response, site.limits.lingerMs, reply.status, reply.body, reply.headers);
}

function refusePage(site: DoorSite, { headers }: IncomingMessage): Answer | undefined {
  if (!site.isOwnHost(headers.host)) {
    const message = `this door is called localhost:${site.port}, and the Host header names something else`;
    return { status: 421, body: refusalBody('host_not_served', message) };
  }
  if (!isOwnOrigin(headers.origin, site.port)) {
    return { status: 403, body: refusalBody('origin_not_allowed', 'web pages may not use this door') };
  }
  return undefined;
}

function serveCard(site: DoorSite, request: IncomingMessage): Answer | undefined {
  if (request.method !== 'GET' || !cardPaths.has(pathOf(request))) return undefined;
  return { status: 200, body: site.card, headers: { vary: 'A2A-Version' } };
}

/** What a stranger gets nothing of: who asks is settled before the path, the body or the method is read. */
async function serveCaller(
  site: DoorSite,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  const asked = callerOf(site, request);
  if ('refusal' in asked) return asked.refusal;
  if (!isPeerWelcome(request.headers, site.acceptsPeerTasks)) {
    return { status: 403, body: refusalBody('peer_not_accepted', 'this capsule takes no tasks from other capsules') };
  }
  if (request.method === 'GET' && pathOf(request) === '/health') {
    return { status: 200, body: JSON.stringify({ status: 'ok', session_id: site.sessionId }) };
  }
  return serveRpc(site, asked.caller, request, response);
}

function callerOf(site: DoorSite, request: IncomingMessage): Authenticated | { readonly caller: undefined } {
  return site.auth === undefined ? { caller: undefined } : authenticate(site.auth, site.capsuleName, request);
}

async function serveRpc(
  site: DoorSite,
  caller: Caller | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  if (request.method !== 'POST' || pathOf(request) !== '/' || !isJson(request.headers['content-type'])) return notFound;
  const body = await readBody(request, response, site.limits.bodyBytes);
  if (body.status === 'cut') return undefined;
  if (body.status === 'too-large') {
    const message = `the request body is over ${site.limits.bodyBytes} bytes`;
    return { status: 413, body: refusalBody('body_too_large', message) };
  }
  return body.bytes.length === 0 ? notFound : serveMethod(site, caller, request, response, body.bytes);
}

/** `undefined` when a stream took the response over. */
async function serveMethod(
  site: DoorSite,
  caller: Caller | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
): Promise<Answer | undefined> {
  const { headers } = request;
  const version = typeof headers['a2a-version'] === 'string' ? headers['a2a-version'] : undefined;
  const parsed = parseBody(bytes);
  if (!parsed.ok) {
    const isV1Parse = parsed.error === rpcErrors.parse && isVersionOne(version);
    return ok(replyBody(parsed.id, { error: isV1Parse ? rpcErrors.parseV1 : parsed.error }));
  }
  const asked = parsed.request;
  const refused = caller && outOfReach(site, caller, asked, version);
  if (refused !== undefined) return refused;
  const context = { ...site, headers: readTaskHeaders(headers), left: leftOf(response) };
  const settled = await answered(() => answer(asked, version, context));
  if (!('stream' in settled)) return ok(replyBody(asked.id, settled));
  site.streams!.open(request, response, settled.stream);
  return undefined;
}

/** What a dialect answers; -32603 where it, or the session behind it, threw. */
async function answered(ask: () => DialectAnswer): Promise<Awaited<DialectAnswer>> {
  try {
    return await ask();
  } catch {
    return { error: rpcErrors.internal };
  }
}

function ok(body: string): Answer {
  return { status: 200, body };
}

/** Gives the signal that aborts when the connection of this answer is gone before the answer is. Few answers wait for anything. */
function leftOf(response: ServerResponse): () => AbortSignal {
  let left: AbortController | undefined;
  return () => {
    left ??= abortedBy(response);
    return left.signal;
  };
}

function abortedBy(response: ServerResponse): AbortController {
  const left = new AbortController();
  if (response.destroyed) left.abort();
  response.once('close', () => {
    if (!response.writableFinished) left.abort();
  });
  return left;
}

/**
 * The refusal of a method this caller does not reach. What no dialect takes, and a method nobody serves, is the dialect's to answer:
 * those errors come first (spec/door.md 2.1). A completion needs the scope of its method too: the header that says so is anybody's.
 */
function outOfReach(
  { methods, capsuleName }: DoorSite,
  caller: Caller,
  request: RpcRequest,
  version: string | undefined,
): Answer | undefined {
  if (!methods.includes(request.method) || 'error' in pickDialect(request, version)) return undefined;
  return refuseMethod(caller, capsuleName, request.method);
}

/** The path without its query; `''` counts as `/`. */
function pathOf(request: IncomingMessage): string {
  const [path = ''] = (request.url ?? '').split('?', 1);
  return path === '' ? '/' : path;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { answer, type DialectContext, isVersionOne } from './dialects/index.js';
import { readBody } from './guards/body-limit.js';
import { isJson } from './guards/content-type.js';
import { isOwnHost } from './guards/host.js';
import { isOwnOrigin } from './guards/origin.js';
import { isPeerWelcome } from './guards/peer-consent.js';
import { parseBody, replyBody, rpcErrors } from './json-rpc.js';
import { refusalBody, respond } from './respond.js';
import { readTaskHeaders } from './task-headers.js';
import type { DoorLimits } from './types.js';

/** Everything one request is answered from. Made once, when the door listens. */
export interface DoorSite extends Omit<DialectContext, 'headers'> {
  readonly bindAddr: string;
  readonly port: number;
  readonly acceptsPeerTasks: boolean;
  readonly limits: DoorLimits;
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
  const reply = refusePage(site, request) ?? serveFixed(site, request) ?? (await serveRpc(site, request, response));
  if (reply === undefined) return;
  respond(request, response, site.limits.lingerMs, reply.status, reply.body, reply.headers);
}

function refusePage(site: DoorSite, { headers }: IncomingMessage): Answer | undefined {
  if (!isOwnHost(headers.host, site.bindAddr)) {
    const message = `this door is called localhost:${site.port}, and the Host header names something else`;
    return { status: 421, body: refusalBody('host_not_served', message) };
  }
  if (!isOwnOrigin(headers.origin, site.port)) {
    return { status: 403, body: refusalBody('origin_not_allowed', 'web pages may not use this door') };
  }
  return undefined;
}

function serveFixed(site: DoorSite, request: IncomingMessage): Answer | undefined {
  if (request.method !== 'GET') return undefined;
  const path = pathOf(request);
  if (cardPaths.has(path)) return { status: 200, body: site.card, headers: { vary: 'A2A-Version' } };
  if (path === '/health') return { status: 200, body: JSON.stringify({ status: 'ok', session_id: site.sessionId }) };
  return undefined;
}

async function serveRpc(
  site: DoorSite,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  if (!isPeerWelcome(request.headers, site.acceptsPeerTasks)) {
    return { status: 403, body: refusalBody('peer_not_accepted', 'this capsule takes no tasks from other capsules') };
  }
  if (request.method !== 'POST' || pathOf(request) !== '/' || !isJson(request.headers['content-type'])) return notFound;
  const body = await readBody(request, response, site.limits.bodyBytes);
  if (body.status === 'cut') return undefined;
  if (body.status === 'too-large') {
    const message = `the request body is over ${site.limits.bodyBytes} bytes`;
    return { status: 413, body: refusalBody('body_too_large', message) };
  }
  return body.bytes.length === 0 ? notFound : { status: 200, body: rpcReply(site, request, body.bytes) };
}

function rpcReply(site: DoorSite, { headers }: IncomingMessage, bytes: Buffer): string {
  const version = typeof headers['a2a-version'] === 'string' ? headers['a2a-version'] : undefined;
  const parsed = parseBody(bytes);
  if (!parsed.ok) {
    const isV1Parse = parsed.error === rpcErrors.parse && isVersionOne(version);
    return replyBody(parsed.id, { error: isV1Parse ? rpcErrors.parseV1 : parsed.error });
  }
  const { request } = parsed;
  try {
    return replyBody(request.id, answer(request, version, { ...site, headers: readTaskHeaders(headers) }));
  } catch {
    return replyBody(request.id, { error: rpcErrors.internal });
  }
}

/** The path without its query; `''` counts as `/`. */
function pathOf(request: IncomingMessage): string {
  const [path = ''] = (request.url ?? '').split('?', 1);
  return path === '' ? '/' : path;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Authenticated, authenticate } from './auth/index.js';
import { isOwnOrigin } from './guards/origin.js';
import { isPeerWelcome } from './guards/peer-consent.js';
import { refusalBody, respond } from './respond.js';
import { findRoute, serveRest } from './rest/index.js';
import { serveRpc } from './rpc.js';
import type { Answer, DoorSite } from './site.js';

const cardPaths: ReadonlySet<string> = new Set(['/.well-known/agent-card.json', '/.well-known/agent.json']);

/** Answers one request. The order of checks is that of spec/door.md 2.1, after the two guards against web pages. */
export async function handle(site: DoorSite, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const reply = refusePage(site, request) ?? serveCard(site, request) ?? (await serveCaller(site, request, response));
  if (reply !== undefined) respond(request, response, site.limits.lingerMs, reply);
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
  return site.card(request.headers);
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
  const path = pathOf(request);
  if (request.method === 'GET' && path === '/health') {
    return { status: 200, body: JSON.stringify({ status: 'ok', session_id: site.sessionId }) };
  }
  const route = findRoute(request.method, path);
  return route === undefined
    ? serveRpc(site, asked.caller, request, response, path)
    : serveRest(site, asked.caller, request, response, route);
}

function callerOf(site: DoorSite, request: IncomingMessage): Authenticated | { readonly caller: undefined } {
  return site.auth === undefined ? { caller: undefined } : authenticate(site.auth, site.capsuleName, request);
}

/** The path without its query; `''` counts as `/`. */
function pathOf(request: IncomingMessage): string {
  const [path = ''] = (request.url ?? '').split('?', 1);
  return path === '' ? '/' : path;
}

/**
 * The HTTP+JSON binding of A2A 1.0: each operation has a path and a verb, an error is an HTTP status, a stream holds bare objects. It
 * only carries: what an operation does is that of the JSON-RPC method it is read as (../dialects/v1.ts). Not a second task model, and
 * not the binding of A2A 0.3.
 * Read next: routes.ts (the paths), query.ts (parameters in a query), errors.ts (which error is which status).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../auth/index.js';
import { bodyTooLarge, readBody } from '../guards/body-limit.js';
import { isA2aJson } from '../guards/content-type.js';
import { isObject, parseJson, type RpcError, rpcErrors } from '../json-rpc.js';
import { perform, versionOf } from '../perform.js';
import { respond } from '../respond.js';
import type { Answer, DoorSite } from '../site.js';
import { bodyTypeRefused, errorAnswer, verbRefused, versionRefused } from './errors.js';
import { readQuery } from './query.js';
import type { FoundRoute, Route } from './routes.js';

export { type FoundRoute, findRoute } from './routes.js';

/** The answer to an operation; `undefined` when a stream took the response over, or nobody is left to answer. */
export async function serveRest(
  site: DoorSite,
  caller: Caller | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  found: FoundRoute,
): Promise<Answer | undefined> {
  const { route, inPath, verbs } = found;
  if (route === undefined) return inType(request, verbRefused(verbs));
  const body = await readParams(site, request, response, route);
  if (body === undefined) return undefined;
  if ('answer' in body) return body.answer;
  if ('error' in body) return inType(request, errorAnswer(body.error));
  const version = versionOf(request);
  if (!/^(1\.0(\.\d+)?)?$/.test(version ?? '')) return inType(request, errorAnswer(versionRefused(version ?? '')));
  // What is no object is the operation's to refuse.
  const params = isObject(body.params) ? { ...body.params, ...inPath } : body.params;
  const rpc = { jsonrpc: '2.0', id: 0, method: route.method, params };
  const performed = await perform(site, caller, request, response, { rpc, version });
  if ('refused' in performed) return performed.refused;
  if ('error' in performed) return inType(request, errorAnswer(performed.error));
  if ('result' in performed) return inType(request, { status: 200, body: JSON.stringify(performed.result) });
  site.streams!.open(request, response, {
    ...performed.stream,
    bare: { refuse: (error) => respond(request, response, site.limits.lingerMs, inType(request, errorAnswer(error))) },
  });
  return undefined;
}

type Params = { readonly params: unknown } | { readonly error: RpcError } | { readonly answer: Answer };

/** What the operation is asked, without what stands in the path; `undefined` when the sender left. */
async function readParams(
  { limits }: DoorSite,
  request: IncomingMessage,
  response: ServerResponse,
  { body }: Route,
): Promise<Params | undefined> {
  if (body === 'none') return { params: readQuery(request.url ?? '') };
  const type = request.headers['content-type'];
  if ((body === 'required' || type !== undefined) && !isA2aJson(type)) return { error: bodyTypeRefused(type) };
  const read = await readBody(request, response, limits.bodyBytes);
  if (read.status === 'cut') return undefined;
  if (read.status === 'too-large') return { answer: bodyTooLarge(limits.bodyBytes) };
  if (body === 'optional' && read.bytes.length === 0) return { params: {} };
  try {
    return { params: parseJson(read.bytes) };
  } catch {
    return { error: rpcErrors.parseV1 };
  }
}

/** The answer under the type the protocol asks for, or under plain JSON to who takes that only. */
function inType({ headers }: IncomingMessage, answer: Answer): Answer {
  const accept = headers.accept ?? '*/*';
  const isPlain = /\bapplication\/json\b/i.test(accept) && !/application\/a2a\+json|\*\/\*/i.test(accept);
  const type = isPlain ? 'application/json' : 'application/a2a+json';
  return { ...answer, headers: { 'content-type': type, ...answer.headers } };
}

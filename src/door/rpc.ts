/** The JSON-RPC binding: `POST /` (spec/door.md section 5), every dialect. The other binding is rest/. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from './auth/index.js';
import { isVersionOne } from './dialects/index.js';
import { bodyTooLarge, readBody } from './guards/body-limit.js';
import { isJson } from './guards/content-type.js';
import { parseBody, replyBody, rpcErrors } from './json-rpc.js';
import { perform, versionOf } from './perform.js';
import { type Answer, type DoorSite, notFound } from './site.js';

/** The answer to a JSON-RPC request, 404 to anything else; `undefined` when a stream took the response over, or nobody is left to answer. */
export async function serveRpc(
  site: DoorSite,
  caller: Caller | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<Answer | undefined> {
  if (request.method !== 'POST' || path !== '/' || !isJson(request.headers['content-type'])) return notFound;
  const body = await readBody(request, response, site.limits.bodyBytes);
  if (body.status === 'cut') return undefined;
  if (body.status === 'too-large') return bodyTooLarge(site.limits.bodyBytes);
  if (body.bytes.length === 0) return notFound;
  const version = versionOf(request);
  const parsed = parseBody(body.bytes);
  if (!parsed.ok) {
    const isV1Parse = parsed.error === rpcErrors.parse && isVersionOne(version);
    return ok(replyBody(parsed.id, { error: isV1Parse ? rpcErrors.parseV1 : parsed.error }));
  }
  const { request: rpc } = parsed;
  const performed = await perform(site, caller, request, response, { rpc, version });
  if ('refused' in performed) return performed.refused;
  if (!('stream' in performed)) return ok(replyBody(rpc.id, performed));
  site.streams!.open(request, response, performed.stream);
  return undefined;
}

function ok(body: string): Answer {
  return { status: 200, body };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { sayLast } from './server.js';
import type { Answer } from './site.js';

/**
 * Answers. The connection stays open for the next request when this one was read to its end and its sender does not want otherwise.
 * When it was refused before its body was read, the rest is read and dropped for at most `lingerMs`: closing at once would reset the
 * connection, and the sender would lose the answer.
 */
export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  lingerMs: number,
  { status, body, headers }: Answer,
): void {
  if (response.headersSent || response.destroyed || request.socket.destroyed) return;
  // As text: then the headers and the body are one write.
  const text = body ?? '';
  const isRead = request.complete || hasNoBody(request);
  if (!isRead) sayLast(response);
  response.writeHead(status, {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    // A 304 may only tell the length of what it stands for (RFC 9110 8.6).
    ...(status === 304 ? {} : { 'content-length': Buffer.byteLength(text) }),
    ...headers,
  });
  if (isRead || isWaitingForContinue(request)) {
    response.end(text);
    return;
  }
  response.flushHeaders();
  response.write(text);
  const finish = () => {
    clearTimeout(timer);
    request.off('end', finish).off('close', finish);
    if (!request.socket.destroyed) response.end();
  };
  const timer = setTimeout(finish, lingerMs);
  request.on('end', finish).on('close', finish);
  request.resume();
}

function hasNoBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0;
}

/** Such a sender holds the body back until it is asked for, which a refusal never does. */
function isWaitingForContinue(request: IncomingMessage): boolean {
  return request.headers.expect?.toLowerCase() === '100-continue';
}

/** The JSON body of an HTTP-level refusal. */
export function refusalBody(error: string, message: string): string {
  return JSON.stringify({ error, message });
}

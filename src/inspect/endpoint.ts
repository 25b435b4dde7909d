import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Access, FRAMES_PATH, PAGE_PATH, type Refusal, speaksFrames, targetOf } from './access.js';
import { PROTOCOL } from './frame.js';
import { limits } from './limits.js';
import { pageFile, type Reply, textReply } from './page-files.js';

/** What an HTTP server lends its paths to: the door of a session, or the server of `mur inspect`. */
export interface Endpoint {
  /** Answers a request to a path of ours; `false` for any other path. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
  /** Takes over, or refuses and ends, a connection that asks for an upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface EndpointOptions {
  readonly access: Access;
  /** Whether one more client may come. Asked before the upgrade. */
  hasRoom(): boolean;
  /** A client that may watch. `isStately`: it expects the frames of @statelyai/inspect. */
  connected(socket: WebSocket, isStately: boolean): void;
  /** Folder of the page, for tests. */
  readonly page?: URL;
}

/** The websocket at `/inspect` and the page at `/ui/`, behind every check of `access`. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.payloadBytes,
    handleProtocols: (protocols) => (protocols.has(PROTOCOL) ? PROTOCOL : false),
  });
  return {
    serve(request, response) {
      const reply = replyOf(options, request);
      if (reply === undefined) return false;
      const { status, body, headers } = reply;
      response.writeHead(status, { ...headers, 'content-length': body.length, connection: 'close' });
      response.end(request.method === 'HEAD' ? undefined : body);
      return true;
    },
    upgrade(request, socket, head) {
      const refusal = refusalOf(options, request);
      if (refusal !== undefined) {
        refuseUpgrade(socket, refusal);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (client) => options.connected(client, !speaksFrames(request)));
    },
  };
}

function refusalOf({ access, hasRoom }: EndpointOptions, request: IncomingMessage): Refusal | undefined {
  const refusal = access.refuseSender(request);
  if (refusal !== undefined) return refusal;
  if (targetOf(request).path !== FRAMES_PATH) return notHere;
  return access.refuse(request) ?? (hasRoom() ? undefined : tooMany);
}

const notHere: Refusal = { status: 404, error: 'not_found', message: `the frames are at ${FRAMES_PATH}` };
const tooMany: Refusal = { status: 503, error: 'too_many_clients', message: 'close another window of the page first' };

/** The answer to a request that asks for no upgrade; `undefined` when its path is not ours. */
function replyOf({ access, page }: EndpointOptions, request: IncomingMessage): Reply | undefined {
  const { path, query } = targetOf(request);
  const isPage = path === '/ui' || path.startsWith(PAGE_PATH);
  if (!isPage && path !== FRAMES_PATH) return undefined;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return textReply(405, 'this can only be read', { allow: 'GET, HEAD' });
  }
  const refusal = access.refuseSender(request);
  if (refusal !== undefined) return refused(refusal);
  const cookie = isPage ? access.redeem(request) : undefined;
  if (cookie !== undefined) return seePage({ 'set-cookie': cookie });
  const unknown = access.refuse(request);
  if (unknown !== undefined) return refused(unknown);
  if (!isPage) return textReply(426, `${FRAMES_PATH} is a websocket`, { upgrade: 'websocket' });
  if (path === '/ui' || query.has('token')) return seePage({});
  return pageFile(path.slice(PAGE_PATH.length), page);
}

/** Without the query: an address that worked once is not kept in the address bar. */
function seePage(headers: Readonly<Record<string, string>>): Reply {
  return textReply(303, 'see the page', { location: PAGE_PATH, ...headers });
}

function refused({ status, error, message }: Refusal): Reply {
  return textReply(status, `${error}: ${message}`);
}

/** Before the upgrade there is no response object: the refusal is written by hand, and the connection ends with it. */
function refuseUpgrade(socket: Duplex, { status, error, message }: Refusal): void {
  const body = `${JSON.stringify({ error, message })}\n`;
  socket.on('error', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${error}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Something else that answers on the door's port, under paths of its own and with checks of its own (spec/door.md 2.1 step 1). */
export interface DoorSide {
  /** Answers a request to a path of its own; `false` for any other path. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
  /** Takes over, or refuses and ends, a connection that asks for a websocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * Gives the websockets of a server to `side`. A client that merely offers another protocol (`Upgrade: h2c`, as some HTTP libraries do
 * with every request) is answered as if it had not: RFC 9110, section 7.8, lets a server ignore the header, but Node hands such a
 * request over unread as soon as anybody listens for upgrades, so it is put back in front of its connection without the header.
 */
export function serveUpgrades(server: Server, side: DoorSide): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket') side.upgrade(request, socket, head);
    else putBack(server, request, socket, head);
  });
}

function putBack(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const [name, value] = [request.rawHeaders[at]!, request.rawHeaders[at + 1]!];
    if (!/^(?:upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

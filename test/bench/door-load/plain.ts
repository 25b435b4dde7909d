/** The least a node server can be: an answer to everything, a stream that says nothing to who accepts one. A process of its own. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from './server.js';

const server = createServer((request, response) => {
  request.resume();
  if (request.headers.accept !== 'text/event-stream') response.end('{}');
  else response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
});
server.keepAliveTimeout = 60_000;
await once(server.listen(0, '127.0.0.1'), 'listening');
serveParent((server.address() as AddressInfo).port);

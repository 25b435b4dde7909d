/**
 * The server of @a2a-js/sdk with an executor that answers at once: `express` as its documentation builds it, `bare` with its JSON-RPC
 * handler behind a plain node server, which leaves out what express checks. A process of its own.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from 'a2a-sdk-1/server';
import { jsonRpcHandler, UserBuilder } from 'a2a-sdk-1/server/express';
import { answerText, chunkText, sayChunks, serveParent } from './server.js';

const completed = 3;
const working = 2;

// biome-ignore lint/suspicious/noExplicitAny: the generated types want every field
type Loose = any;

const part = (text: string): Loose => ({
  content: { $case: 'text', value: text },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});
const artifact = (text: string): Loose => ({
  artifactId: 'response',
  name: 'response',
  description: '',
  parts: [part(text)],
  metadata: undefined,
  extensions: [],
});
const status = (state: number): Loose => ({ state, message: undefined, timestamp: new Date().toISOString() });

/**
 * The fewest events that come to the same task: one for an answer, one for each piece of a stream. A piece replaces the one before
 * where mur's is appended: the reference copies the whole task with every event, so pieces that add up would make it slower still.
 */
const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const { content } = userMessage.parts[0]!;
    const task = { id: taskId, contextId, history: [], metadata: undefined };
    if (content?.$case !== 'text' || content.value !== 'stream') {
      bus.publish(AgentEvent.task({ ...task, status: status(completed), artifacts: [artifact(answerText)] }));
      bus.finished();
      return;
    }
    bus.publish(AgentEvent.task({ ...task, status: status(working), artifacts: [] }));
    await sayChunks(() => {
      const update = { taskId, contextId, artifact: artifact(chunkText), append: false, lastChunk: false };
      bus.publish(AgentEvent.artifactUpdate({ ...update, metadata: undefined }));
    });
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(completed), metadata: undefined }));
    bus.finished();
  },
  async cancelTask() {},
};

const handler = new DefaultRequestHandler(
  {
    name: 'bench',
    description: 'bench',
    version: '0.1.0',
    supportedInterfaces: [{ url: 'http://localhost/', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    securitySchemes: {},
    securityRequirements: [],
    signatures: [],
  } as Loose,
  new InMemoryTaskStore(),
  executor,
);

function overExpress(): RequestListener {
  const app = createRequire(import.meta.url)('express')();
  // What express does for web pages and no caller of an agent needs.
  app.disable('etag').disable('x-powered-by');
  return app.use(jsonRpcHandler({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication }));
}

function overNode(): RequestListener {
  const transport = new JsonRpcTransportHandler(handler);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const context = new ServerCallContext({ requestedVersion: request.headers['a2a-version'] } as Loose);
    const answer = await transport.handle(JSON.parse(Buffer.concat(chunks).toString()), context);
    if (!(Symbol.asyncIterator in answer)) {
      const text = JSON.stringify(answer);
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for await (const event of answer) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
  return (request, response) => {
    void serve(request, response).catch(() => response.destroy());
  };
}

const server = createServer(process.argv[2] === 'express' ? overExpress() : overNode()).listen(0, '127.0.0.1');
await once(server, 'listening');
serveParent((server.address() as AddressInfo).port);

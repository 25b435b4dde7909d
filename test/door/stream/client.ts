/** A server that serves streams of a session without its loop, and a client that reads frames as they come. */
import { once } from 'node:events';
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DoorLimits, defaultLimits, type StreamCall } from '../../../src/door/index.js';
import { DoorServer } from '../../../src/door/server.js';
import { SessionStreams, type StreamsOptions } from '../../../src/door/stream/index.js';
import { StreamFeed } from '../../../src/effects/stream-feed.js';
import { systemClock } from '../../../src/supervise/clock.js';
import { TaskRegistry, type TaskRegistryOptions, type TaskRequest } from '../../../src/task/index.js';

export interface Frame {
  readonly id?: number;
  readonly event?: string;
  // biome-ignore lint/suspicious/noExplicitAny: frames are read freely in tests
  readonly data?: any;
  readonly comment?: string;
}

export function parseFrame(block: string): Frame {
  if (block.startsWith(':')) return { comment: block.slice(1) };
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const [id, event, data] = ['id', 'event', 'data'].map((name) => fields.get(name));
  return {
    ...(id === undefined ? {} : { id: Number(id) }),
    ...(event === undefined ? {} : { event }),
    ...(data === undefined ? {} : { data: JSON.parse(data) }),
  };
}

/** One stream, read. `take(n)` waits for that many frames; `rest()` for the end. */
export class Reader {
  readonly frames: Frame[] = [];
  /** The stream was cut off instead of ended. */
  isBroken = false;
  readonly #request: ClientRequest;
  readonly #answer: Promise<IncomingMessage>;
  #text = '';
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(port: number, headers: Record<string, string>) {
    this.#request = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false });
    this.#request.on('error', () => this.#over());
    this.#answer = once(this.#request, 'response').then(([response]) => response as IncomingMessage);
    this.#answer.then(
      (response) =>
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => this.#read(chunk))
          .on('error', () => (this.isBroken = true))
          .on('close', () => this.#over()),
      () => undefined,
    );
    this.#request.end();
  }

  async headers(): Promise<IncomingHttpHeaders> {
    return (await this.#answer).headers;
  }

  async raw(): Promise<string> {
    await this.rest();
    return this.#text;
  }

  async take(count: number): Promise<Frame[]> {
    while (this.frames.length < count && !this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.frames.slice(0, count);
  }

  async rest(): Promise<Frame[]> {
    return this.take(Number.POSITIVE_INFINITY);
  }

  async pause(): Promise<void> {
    (await this.#answer).pause();
  }

  async resume(): Promise<void> {
    (await this.#answer).resume();
  }

  leave(): void {
    this.#request.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop()!;
    this.frames.push(...blocks.map(parseFrame));
    this.#wake();
  }

  #over(): void {
    this.#isOver = true;
    this.#wake();
  }
}

export class StreamStage {
  readonly registry: TaskRegistry;
  readonly feed: StreamFeed;
  readonly lags: number[] = [];
  readonly #server: DoorServer;
  readonly #streams: SessionStreams;
  readonly #calls: StreamCall[] = [];
  readonly #responses: ServerResponse[] = [];
  readonly #readers: Reader[] = [];
  #open: (asked: IncomingMessage, response: ServerResponse) => void;
  port = 0;

  constructor(
    registry: Partial<TaskRegistryOptions> = {},
    options: Partial<StreamsOptions> = {},
    limits: Partial<DoorLimits> = {},
  ) {
    this.#server = new DoorServer({ ...defaultLimits, ...limits }, (asked, response) => this.#open(asked, response));
    this.registry = new TaskRegistry({ acceptance: 'queue', queueDepth: 8, now: () => 1_000, ...registry });
    this.feed = new StreamFeed(this.registry, systemClock);
    this.#streams = new SessionStreams({
      bus: this.feed.bus,
      conversation: 'stateless',
      onLag: (missed) => this.lags.push(missed),
      ...options,
    });
    this.#open = (asked, response) => {
      this.#responses.push(response);
      this.#streams.open(asked, response, this.#calls.shift()!);
    };
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  /** A stream as that call would open it; resolves once the server has opened it. */
  async read(call: StreamCall, headers: Record<string, string> = {}): Promise<Reader> {
    this.#calls.push(call);
    const reader = new Reader(this.port, { accept: 'text/event-stream', ...headers });
    this.#readers.push(reader);
    await reader.headers();
    return reader;
  }

  /** What the server writes to; for streams that were opened one after the other. */
  responseTo(reader: Reader): ServerResponse {
    return this.#responses[this.#readers.indexOf(reader)]!;
  }

  async watch(headers: Record<string, string> = {}): Promise<Reader> {
    return this.read({ frames: 'mur', id: 1, wish: { kind: 'watch' } }, headers);
  }

  /** The stream of a send of task `taskId`. */
  async send(frames: StreamCall['frames'], taskId: string, headers: Record<string, string> = {}): Promise<Reader> {
    const start = () => {
      const reply = this.registry.enqueue(taskRequest(taskId));
      return reply.ok ? reply.task : { error: { code: -32603, message: 'internal error: queue send failed' } };
    };
    return this.read({ frames, id: 'rpc-1', wish: { kind: 'start', start } }, headers);
  }

  async subscribe(frames: StreamCall['frames'], taskId: string, headers: Record<string, string> = {}): Promise<Reader> {
    return this.read({ frames, id: 7, wish: { kind: 'subscribe', task: this.registry.get(taskId)! } }, headers);
  }

  /** Puts a waiting task to work, with its first turn. */
  begin(taskId: string): void {
    this.registry.start(taskId);
    this.feed.turnBegan(taskId, 0);
  }

  /** One turn that says `chunks` and answers with all of them; the task completes. */
  finish(taskId: string, chunks: readonly string[], answer = chunks.join('')): void {
    for (const chunk of chunks) this.feed.text(taskId, chunk);
    this.feed.turnEnded(taskId, answer);
    this.registry.finish(taskId, 'completed', { response: answer });
  }
}

export function taskRequest(taskId: string): TaskRequest {
  return {
    taskId,
    contextId: `ctx_${taskId}`,
    text: 'do it',
    origin: 'event',
    trust: 'untrusted',
    source: 'a2a',
    receivedAtMs: 1,
  };
}

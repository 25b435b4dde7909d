import type { GuestBridge } from '../../protocol.js';
import { IoError } from '../io/error.js';
import type { Pollable, Poller } from '../io/poll.js';
import { type ByteSink, type ByteSource, InputStream, OutputStream, streamChunkBytes } from '../io/streams.js';
import { Fields } from './fields.js';
import type {
  CapacityArgs,
  CapacityReply,
  FinishReply,
  HttpErrorCode,
  IdArgs,
  ReadArgs,
  ReadReply,
  TrailersReply,
  WriteArgs,
} from './messages.js';

/** Most bytes kept here when a guest writes its body before it sends the request; the egress keeps as many for a resend. */
const mostQueuedBytes = 32 * 1024 * 1024;

/** The request body of one exchange: queued here until the request is sent, then passed on with the egress's back pressure. */
export class RequestBody implements ByteSink {
  #link: { readonly bridge: GuestBridge; readonly id: number } | undefined;
  #queued: Uint8Array[] = [];
  #queuedBytes = 0;
  #capacity = 0;
  #finished = false;

  /** The request was sent as exchange `id`. A failure here reaches the guest with the response. */
  attach(bridge: GuestBridge, id: number): void {
    this.#link = { bridge, id };
    for (const chunk of this.#queued.splice(0)) {
      if ('error' in bridge.call<CapacityReply>('http.write', { id, chunk } satisfies WriteArgs)) return;
    }
    if (this.#finished) bridge.call<FinishReply>('http.finish', { id } satisfies IdArgs);
  }

  capacity(wait: boolean): number {
    // Nothing drains the queue before the request is sent, so a full one fails in `write` instead of waiting here.
    if (this.#link === undefined) return streamChunkBytes;
    if (this.#capacity === 0) this.#learn('http.capacity', { id: this.#link.id, wait } satisfies CapacityArgs);
    return this.#capacity;
  }

  write(bytes: Uint8Array): void {
    // The guest's buffer is a view of its memory, which it may write again.
    const chunk = new Uint8Array(bytes);
    if (this.#link !== undefined) {
      this.#learn('http.write', { id: this.#link.id, chunk } satisfies WriteArgs);
      return;
    }
    if (chunk.length > mostQueuedBytes - this.#queuedBytes) {
      throw new IoError(`request body exceeds ${mostQueuedBytes} bytes before the request was sent`, {
        http: { tag: 'HTTP-request-body-size', val: BigInt(this.#queuedBytes + chunk.length) },
      });
    }
    this.#queued.push(chunk);
    this.#queuedBytes += chunk.length;
  }

  flush(): void {}

  waiting() {
    if (this.#link === undefined || this.#capacity > 0) return { kind: 'ready' } as const;
    return { kind: 'http', wait: { id: this.#link.id, for: 'capacity' } } as const;
  }

  /** Dropping the stream does not end the body: `finish` does. */
  close(): void {}

  finish(): HttpErrorCode | undefined {
    this.#finished = true;
    if (this.#link === undefined) return undefined;
    const { bridge, id } = this.#link;
    const reply = bridge.call<FinishReply>('http.finish', { id } satisfies IdArgs);
    return 'error' in reply ? reply.error : undefined;
  }

  /** The body was dropped before its end, so the request must not look complete. */
  abandon(): void {
    if (this.#finished || this.#link === undefined) return;
    this.#link.bridge.call('http.close', { id: this.#link.id } satisfies IdArgs);
  }

  #learn(op: 'http.write' | 'http.capacity', args: WriteArgs | CapacityArgs): void {
    const reply = this.#link!.bridge.call<CapacityReply>(op, args);
    if ('error' in reply) throw httpFailure(reply.error);
    this.#capacity = reply.capacity;
  }
}

/** `wasi:http/types#outgoing-body`. */
export class OutgoingBody {
  readonly #poller: Poller;
  readonly #body: RequestBody;
  #streamTaken = false;

  constructor(poller: Poller, body: RequestBody) {
    this.#poller = poller;
    this.#body = body;
  }

  static finish(body: OutgoingBody, trailers: Fields | undefined): void {
    if (trailers !== undefined && trailers.entries().length > 0) {
      body.#body.abandon();
      throw { tag: 'internal-error', val: 'request trailers are not supported' } satisfies HttpErrorCode;
    }
    const error = body.#body.finish();
    if (error !== undefined) throw error;
  }

  write(): OutputStream {
    if (this.#streamTaken) throw undefined;
    this.#streamTaken = true;
    return new OutputStream(this.#poller, this.#body);
  }

  [Symbol.dispose](): void {
    this.#body.abandon();
  }
}

/** `wasi:http/types#incoming-body`: pulled from the egress as the guest reads, so chunks arrive as the server sent them. */
export class IncomingBody {
  readonly #poller: Poller;
  readonly #bridge: GuestBridge;
  readonly #id: number;
  #streamTaken = false;
  #ended = false;

  constructor(poller: Poller, bridge: GuestBridge, id: number) {
    this.#poller = poller;
    this.#bridge = bridge;
    this.#id = id;
  }

  /** Ends the body. What was not read is not waited for: its connection is closed and the trailers are empty. */
  static finish(body: IncomingBody): FutureTrailers {
    const reply: TrailersReply = body.#ended
      ? body.#bridge.call<TrailersReply>('http.trailers', { id: body.#id } satisfies IdArgs)
      : { trailers: [] };
    body[Symbol.dispose]();
    return new FutureTrailers(body.#poller, reply);
  }

  stream(): InputStream {
    if (this.#streamTaken) throw undefined;
    this.#streamTaken = true;
    const source: ByteSource = {
      read: (maxBytes, wait) => this.#read(maxBytes, wait),
      waiting: () => (this.#ended ? { kind: 'ready' } : { kind: 'http', wait: { id: this.#id, for: 'body' } }),
      close: () => {},
    };
    return new InputStream(this.#poller, source);
  }

  [Symbol.dispose](): void {
    this.#bridge.call('http.close', { id: this.#id } satisfies IdArgs);
  }

  #read(maxBytes: number, wait: boolean): Uint8Array | undefined {
    if (this.#ended) return undefined;
    const reply = this.#bridge.call<ReadReply>('http.read', { id: this.#id, maxBytes, wait } satisfies ReadArgs);
    if ('error' in reply) throw httpFailure(reply.error);
    if ('chunk' in reply) return reply.chunk;
    this.#ended = true;
    return undefined;
  }
}

/** `wasi:http/types#future-trailers`: known as soon as the body has ended. */
export class FutureTrailers {
  readonly #poller: Poller;
  #reply: TrailersReply | undefined;

  constructor(poller: Poller, reply: TrailersReply) {
    this.#poller = poller;
    this.#reply = reply;
  }

  subscribe(): Pollable {
    return this.#poller.pollable({ kind: 'ready' });
  }

  get(): unknown {
    const reply = this.#reply;
    if (reply === undefined) return { tag: 'err', val: undefined };
    this.#reply = undefined;
    const trailers = reply.trailers.length === 0 ? undefined : Fields.immutable(reply.trailers);
    return { tag: 'ok', val: { tag: 'ok', val: trailers } };
  }
}

function httpFailure(error: HttpErrorCode): IoError {
  return new IoError(`http error: ${error.tag}`, { http: error });
}

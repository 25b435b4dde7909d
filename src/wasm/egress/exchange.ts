import type { IncomingMessage } from 'node:http';
import type { HeaderPair, HttpErrorCode, HttpWait } from '../../../workers/wasi/http/messages.js';
import { httpErrorOf } from './errors.js';
import { responseHeaders, type WireHeader } from './headers.js';
import { Inbox } from './inbox.js';
import type { Plan } from './plan.js';
import { dial, type Wire, type WireRequest, type WireTimeouts } from './wire.js';

/** A body this small is held until it is finished, so that it goes out with its length instead of in chunks. */
const heldBytes = 64 * 1024;
/** Most bytes of a body kept for a plan that may send it twice. */
const mostKeptBytes = 32 * 1024 * 1024;
/** Most bytes waiting in a request that is being sent. */
const mostWaitingBytes = 1024 * 1024;
/** Methods whose missing body is announced as an empty one (RFC 9110 section 8.6). */
const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

export interface ExchangeTimeouts extends WireTimeouts {
  readonly betweenBytesMs: number;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: readonly HeaderPair[];
}

/**
 * One request of a guest and its response. It is dialled when the body is finished, grows past what is held, or the guest waits for
 * the response. Exactly the promised number of body bytes goes out, or the request fails.
 */
export class Exchange {
  readonly #plan: Plan;
  readonly #timeouts: ExchangeTimeouts;
  readonly #expectedBytes: number | undefined;
  readonly #changed: () => void;
  #queued: Uint8Array[] = [];
  #writtenBytes = 0;
  #finished = false;
  #wire: Wire | undefined;
  #failure: HttpErrorCode | undefined;
  #head: ResponseHead | undefined;
  #inbox: Inbox | undefined;

  /** `expectedBytes`: the length the guest's headers promise. `changed` is called whenever something it may wait for happened. */
  constructor(plan: Plan, timeouts: ExchangeTimeouts, expectedBytes: number | undefined, changed: () => void) {
    this.#plan = plan;
    this.#timeouts = timeouts;
    this.#expectedBytes = expectedBytes;
    this.#changed = changed;
  }

  get failure(): HttpErrorCode | undefined {
    return this.#failure;
  }

  get head(): ResponseHead | undefined {
    return this.#head;
  }

  get trailers(): readonly HeaderPair[] {
    return this.#inbox?.trailers ?? [];
  }

  /** Bytes of the request body taken now. A kept body never waits: it takes more until it is too large and fails. */
  get capacity(): number {
    if (this.#plan.keepsBody || this.#wire === undefined) return mostWaitingBytes;
    return Math.max(0, mostWaitingBytes - this.#wire.request.writableLength);
  }

  write(chunk: Uint8Array): void {
    if (this.#finished || this.#failure !== undefined) return;
    this.#writtenBytes += chunk.length;
    const kept = this.#plan.keepsBody ? mostKeptBytes : Number.POSITIVE_INFINITY;
    if (this.#writtenBytes > Math.min(this.#expectedBytes ?? kept, kept)) {
      this.#fail({ tag: 'HTTP-request-body-size', val: BigInt(this.#writtenBytes) });
    } else if (this.#wire !== undefined && !this.#plan.keepsBody) {
      this.#wire.request.write(chunk);
    } else {
      this.#queued.push(chunk);
      if (this.#writtenBytes > heldBytes) this.begin();
    }
  }

  finish(): void {
    if (this.#finished || this.#failure !== undefined) return;
    this.#finished = true;
    if (this.#expectedBytes !== undefined && this.#writtenBytes < this.#expectedBytes) {
      this.#fail({ tag: 'HTTP-request-body-size', val: BigInt(this.#writtenBytes) });
    } else if (this.#wire === undefined) {
      this.begin();
    } else {
      this.#wire.request.end();
    }
  }

  /** Dials, unless that happened or the whole body is needed first. */
  begin(): void {
    if (this.#wire !== undefined || this.#failure !== undefined) return;
    if (this.#plan.keepsBody && !this.#finished) return;
    this.#dial(() => this.#plan.first());
  }

  isReady(wanted: HttpWait['for']): boolean {
    if (this.#failure !== undefined) return true;
    if (wanted === 'capacity') return this.capacity > 0;
    return wanted === 'response' ? this.#head !== undefined : this.#inbox?.isReady === true;
  }

  /** As `Inbox.take`; before the response there is nothing to take. */
  take(maxBytes: number): Uint8Array | undefined | 'end' | HttpErrorCode {
    return this.#inbox === undefined ? this.#failure : this.#inbox.take(maxBytes);
  }

  close(): void {
    this.#fail({ tag: 'connection-terminated' });
  }

  #dial(next: () => WireRequest): void {
    try {
      const request = next();
      this.#wire = dial(request, this.#framing(request), this.#timeouts, {
        responded: (response) => this.#respond(response),
        failed: (error) => this.#fail(error),
        drained: this.#changed,
      });
      for (const chunk of this.#queued) this.#wire.request.write(chunk);
      if (!this.#plan.keepsBody) this.#queued = [];
      if (this.#finished) this.#wire.request.end();
      // Without a body byte Node would keep the head to itself, and a guest that waits for the answer first would wait for ever.
      else this.#wire.request.flushHeaders();
    } catch (error) {
      this.#fail(httpErrorOf(error));
    }
  }

  /** How the body's end is marked. Always explicit: Node would send a GET's body unmarked, and the next request would start in it. */
  #framing(request: WireRequest): WireHeader[] {
    if (this.#expectedBytes !== undefined) return [];
    if (!this.#finished) return [['transfer-encoding', 'chunked']];
    const isAnnounced = this.#writtenBytes > 0 || bodyMethods.has(request.method);
    return isAnnounced ? [['content-length', String(this.#writtenBytes)]] : [];
  }

  #respond(response: IncomingMessage): void {
    const status = response.statusCode ?? 0;
    try {
      // An answer that is not the guest's is dropped with its connection.
      const again = this.#plan.next(status);
      if (again !== undefined) {
        response.on('error', () => {});
        this.#wire?.destroy();
        this.#dial(() => again);
        return;
      }
    } catch (error) {
      this.#fail(httpErrorOf(error));
      return;
    }
    this.#queued = [];
    this.#head = { status, headers: responseHeaders(response.rawHeaders) };
    this.#inbox = new Inbox(response, this.#timeouts.betweenBytesMs, this.#changed);
    this.#changed();
  }

  #fail(error: HttpErrorCode): void {
    this.#failure ??= error;
    this.#queued = [];
    this.#inbox?.close(this.#failure);
    this.#wire?.destroy();
    this.#changed();
  }
}

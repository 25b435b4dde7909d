import type { IncomingMessage } from 'node:http';
import type { HeaderPair, HttpErrorCode } from '../../../workers/wasi/http/messages.js';
import { httpErrorOf } from './errors.js';
import { responseHeaders } from './headers.js';

/** The server is paused while this much waits for the guest. */
const mostBufferedBytes = 1024 * 1024;

/** The body of one response: bytes as they arrived, pulled by the guest, with the server held back when it is faster. */
export class Inbox {
  readonly #response: IncomingMessage;
  readonly #betweenBytesMs: number;
  readonly #changed: () => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #failure: HttpErrorCode | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(response: IncomingMessage, betweenBytesMs: number, changed: () => void) {
    this.#response = response;
    this.#betweenBytesMs = betweenBytesMs;
    this.#changed = changed;
    response.on('data', (chunk: Buffer) => this.#take(chunk));
    response.once('end', () => this.#settle(response.complete ? undefined : { tag: 'HTTP-response-incomplete' }));
    response.on('error', (error) => this.#settle(incomplete(httpErrorOf(error))));
    response.once('close', () => this.#settle({ tag: 'HTTP-response-incomplete' }));
    this.#arm();
  }

  get isReady(): boolean {
    return this.#bytes > 0 || this.#ended;
  }

  /** Whether the body came to its end, whatever of it was read. */
  get isEnded(): boolean {
    return this.#ended;
  }

  get trailers(): readonly HeaderPair[] {
    return responseHeaders(this.#response.rawTrailers);
  }

  /** Up to `maxBytes`; `undefined` when nothing is there yet; `end`; or why the rest will not come. */
  take(maxBytes: number): Uint8Array | undefined | 'end' | HttpErrorCode {
    if (this.#bytes === 0) return this.#ended ? (this.#failure ?? 'end') : undefined;
    const parts: Buffer[] = [];
    let room = maxBytes;
    while (room > 0) {
      const chunk = this.#chunks.shift();
      if (chunk === undefined) break;
      const part = chunk.subarray(0, room);
      if (part.length < chunk.length) this.#chunks.unshift(chunk.subarray(room));
      parts.push(part);
      room -= part.length;
    }
    this.#bytes -= maxBytes - room;
    if (this.#bytes < mostBufferedBytes && this.#response.isPaused()) {
      this.#response.resume();
      this.#arm();
    }
    // A copy of exactly these bytes: posting a Buffer would carry the whole pool it is cut from.
    return new Uint8Array(Buffer.concat(parts));
  }

  /** Ends the body here, because of `failure`, unless it has ended. What arrived can still be taken. */
  close(failure: HttpErrorCode): void {
    this.#settle(failure);
    this.#response.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#arm();
    if (this.#bytes >= mostBufferedBytes) {
      // A server that waits for us is not slow.
      clearTimeout(this.#timer);
      this.#response.pause();
    }
    this.#changed();
  }

  #settle(failure: HttpErrorCode | undefined): void {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    this.#changed();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#settle({ tag: 'connection-read-timeout' });
      this.#response.destroy();
    }, this.#betweenBytesMs);
  }
}

/** A connection that breaks after the headers leaves an incomplete response, whichever way it broke. */
function incomplete(error: HttpErrorCode): HttpErrorCode {
  return error.tag === 'connection-terminated' ? { tag: 'HTTP-response-incomplete' } : error;
}

import { IoError } from './error.js';
import { Pollable, type Poller, type Wait } from './poll.js';

/** Most bytes one read hands to the guest, and one write takes from it. Bounds what a single call allocates here. */
export const streamChunkBytes = 64 * 1024;

/** Where an input stream takes its bytes from. Throws an `IoError` when the operation failed. */
export interface ByteSource {
  /** Bytes (none when nothing is there yet and `wait` is false), or `undefined` at the end. */
  read(maxBytes: number, wait: boolean): Uint8Array | undefined;
  waiting(): Wait;
  close(): void;
}

/** Where an output stream puts its bytes. Throws an `IoError` when the operation failed. */
export interface ByteSink {
  /** Bytes that may be written now, `undefined` once closed. With `wait`, at least one. */
  capacity(wait: boolean): number | undefined;
  write(bytes: Uint8Array): void;
  flush(wait: boolean): void;
  waiting(): Wait;
  close(): void;
}

const closed = { tag: 'closed' } as const;

function failed(thrown: unknown): unknown {
  return thrown instanceof IoError ? { tag: 'last-operation-failed', val: thrown } : thrown;
}

function clamp(length: bigint): number {
  return length > BigInt(streamChunkBytes) ? streamChunkBytes : Number(length);
}

/** `wasi:io/streams#input-stream`. One failure ends it: later calls answer `closed`. */
export class InputStream {
  readonly #poller: Poller;
  #source: ByteSource | undefined;

  constructor(poller: Poller, source: ByteSource) {
    this.#poller = poller;
    this.#source = source;
  }

  read(length: bigint): Uint8Array {
    return this.#take(clamp(length), false);
  }

  blockingRead(length: bigint): Uint8Array {
    return this.#take(clamp(length), length > 0n);
  }

  skip(length: bigint): bigint {
    return BigInt(this.#take(clamp(length), false).length);
  }

  blockingSkip(length: bigint): bigint {
    return BigInt(this.#take(clamp(length), length > 0n).length);
  }

  subscribe(): Pollable {
    return new Pollable(this.#poller, this.#source?.waiting() ?? { kind: 'ready' });
  }

  [Symbol.dispose](): void {
    this.#source?.close();
    this.#source = undefined;
  }

  #take(maxBytes: number, wait: boolean): Uint8Array {
    if (this.#source === undefined) throw closed;
    let bytes: Uint8Array | undefined;
    try {
      bytes = this.#source.read(maxBytes, wait);
    } catch (thrown) {
      this[Symbol.dispose]();
      throw failed(thrown);
    }
    if (bytes === undefined) throw closed;
    return bytes;
  }
}

/** `wasi:io/streams#output-stream`. One failure ends it: later calls answer `closed`. */
export class OutputStream {
  readonly #poller: Poller;
  #sink: ByteSink | undefined;

  constructor(poller: Poller, sink: ByteSink) {
    this.#poller = poller;
    this.#sink = sink;
  }

  checkWrite(): bigint {
    return BigInt(this.#room(false));
  }

  write(contents: Uint8Array): void {
    this.#attempt((sink) => sink.write(contents));
  }

  blockingWriteAndFlush(contents: Uint8Array): void {
    this.#writeAll(contents.length, (from, to) => contents.subarray(from, to));
  }

  flush(): void {
    this.#attempt((sink) => sink.flush(false));
  }

  blockingFlush(): void {
    this.#attempt((sink) => sink.flush(true));
  }

  subscribe(): Pollable {
    return new Pollable(this.#poller, this.#sink?.waiting() ?? { kind: 'ready' });
  }

  writeZeroes(length: bigint): void {
    if (length > BigInt(this.#room(false)))
      throw new Error('wasi:io/streams: write-zeroes beyond the permitted length');
    this.write(new Uint8Array(Number(length)));
  }

  blockingWriteZeroesAndFlush(length: bigint): void {
    if (length > BigInt(streamChunkBytes)) throw new Error('wasi:io/streams: write-zeroes beyond the permitted length');
    this.#writeAll(Number(length), (from, to) => new Uint8Array(to - from));
  }

  splice(source: InputStream, length: bigint): bigint {
    const room = BigInt(this.#room(false));
    const bytes = source.read(length < room ? length : room);
    this.write(bytes);
    return BigInt(bytes.length);
  }

  blockingSplice(source: InputStream, length: bigint): bigint {
    const room = BigInt(this.#room(true));
    const bytes = source.blockingRead(length < room ? length : room);
    this.write(bytes);
    return BigInt(bytes.length);
  }

  [Symbol.dispose](): void {
    this.#sink?.close();
    this.#sink = undefined;
  }

  #writeAll(length: number, part: (from: number, to: number) => Uint8Array): void {
    for (let from = 0; from < length; ) {
      const to = Math.min(length, from + this.#room(true));
      this.write(part(from, to));
      from = to;
    }
    this.blockingFlush();
  }

  #room(wait: boolean): number {
    const room = this.#attempt((sink) => sink.capacity(wait));
    if (room === undefined) throw closed;
    return Math.min(room, streamChunkBytes);
  }

  #attempt<T>(act: (sink: ByteSink) => T): T {
    if (this.#sink === undefined) throw closed;
    try {
      return act(this.#sink);
    } catch (thrown) {
      this[Symbol.dispose]();
      throw failed(thrown);
    }
  }
}

/** A source that is at its end from the start: the guest's stdin. */
export const emptySource: ByteSource = {
  read: () => undefined,
  waiting: () => ({ kind: 'ready' }),
  close: () => {},
};

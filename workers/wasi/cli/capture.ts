import { type ByteSink, streamChunkBytes } from '../io/streams.js';

/** One output stream of a guest, kept in memory up to a limit. Writing never fails: what is past the limit is dropped. */
export class Capture {
  readonly #limitBytes: number;
  #chunks: Uint8Array[] = [];
  #keptBytes = 0;
  #truncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** The captured bytes as text; invalid UTF-8 becomes U+FFFD, a character cut by the limit is left out. */
  text(): string {
    const all = Buffer.concat(this.#chunks);
    // `stream: true` keeps back an incomplete last sequence, which only the limit can have cut.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(all, { stream: this.#truncated });
  }

  sink(): ByteSink {
    return {
      capacity: () => streamChunkBytes,
      write: (bytes) => this.#append(bytes),
      flush: () => {},
      waiting: () => ({ kind: 'ready' }),
      close: () => {},
    };
  }

  #append(bytes: Uint8Array): void {
    const room = this.#limitBytes - this.#keptBytes;
    if (bytes.length > room) this.#truncated = true;
    // A copy: the guest's buffer is a view of its memory, which it may write again.
    const kept = new Uint8Array(bytes.subarray(0, room));
    if (kept.length === 0) return;
    this.#chunks.push(kept);
    this.#keptBytes += kept.length;
  }
}

import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { reasonOf } from '../errors/index.js';

/** Most bytes of one stream that a result shows (spec/shell.md 5.1). */
export const outputLimitBytes = 16_384;

/** Most bytes of one stream that a log keeps: the default of `max_file_size_bytes`. What is beyond is counted. */
const spoolLimitBytes = 4 * 1024 ** 3;

/** How long a stream may stay silent once its process has ended: something that outlived it may hold it open. */
const quietMs = 250;
const copyBytes = 256 * 1024;

export interface CaptureOptions {
  /** How many bytes stay in memory. */
  readonly keepBytes?: number;
  /** Where longer output goes. Absent: it is read and dropped. */
  readonly spool?: () => Promise<FileHandle>;
  readonly spoolLimitBytes?: number;
  /** Called once, when more than `keepBytes` have come. */
  readonly onOverflow?: () => void;
}

/**
 * Reads one stream of a process to its end, whatever happens, so that the process never waits for us. Memory stays bounded: what is
 * longer than `keepBytes` goes to a file.
 */
export class Capture {
  readonly #stream: Readable;
  readonly #options: CaptureOptions;
  readonly #keepBytes: number;
  readonly #limitBytes: number;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #total = 0;
  #spooled = 0;
  #spool: FileHandle | undefined;
  #failure: string | undefined;
  #lastChunkAtMs = performance.now();
  readonly #drained: Promise<void>;

  constructor(stream: Readable, options: CaptureOptions = {}) {
    this.#stream = stream;
    this.#options = options;
    this.#keepBytes = options.keepBytes ?? outputLimitBytes;
    this.#limitBytes = options.spoolLimitBytes ?? spoolLimitBytes;
    this.#drained = this.#drain();
  }

  /** Everything that was written, in bytes. */
  get totalBytes(): number {
    return this.#total;
  }

  /** Whether there is more than `text` shows. */
  get isLong(): boolean {
    return this.#total > this.#keepBytes;
  }

  /** Why the log lacks output that was read; `undefined` when it lacks none. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The first `keepBytes` bytes. */
  get bytes(): Buffer {
    return Buffer.concat(this.#kept);
  }

  /** The first `keepBytes` bytes as text; what is no UTF-8 is replaced. */
  get text(): string {
    return this.bytes.toString('utf8');
  }

  /** Call it once the process has ended. Resolves at the end of the stream, or when it has been silent for a while. Never rejects. */
  async finish(): Promise<void> {
    const endedAtMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const silent = new Promise<void>((resolve) => {
      const look = (): void => {
        const waitedMs = performance.now() - Math.max(this.#lastChunkAtMs, endedAtMs);
        if (waitedMs >= quietMs || performance.now() - endedAtMs >= quietMs * 20) resolve();
        else timer = setTimeout(look, quietMs - waitedMs);
      };
      look();
    });
    await Promise.race([this.#drained, silent]);
    clearTimeout(timer);
    this.#stream.destroy();
    await this.#drained;
  }

  /** Writes the whole output to `file`, at its end. */
  async copyTo(file: FileHandle): Promise<void> {
    if (this.#spool === undefined) await file.appendFile(this.bytes);
    else await copy(this.#spool, file, this.#spooled);
    const dropped = this.#total - (this.#spool === undefined ? this.#keptBytes : this.#spooled);
    if (dropped > 0) await file.appendFile(`\n[${dropped} more bytes were not kept]`);
  }

  /** Frees the file. Idempotent. */
  async release(): Promise<void> {
    const spool = this.#spool;
    this.#spool = undefined;
    await spool?.close();
  }

  async #drain(): Promise<void> {
    try {
      for await (const chunk of this.#stream) await this.#take(chunk as Buffer);
    } catch {
      // Destroyed by `finish`, or broken by its process: there is nothing more to read.
    }
  }

  async #take(chunk: Buffer): Promise<void> {
    this.#lastChunkAtMs = performance.now();
    const wasLong = this.isLong;
    this.#total += chunk.length;
    const room = this.#keepBytes - this.#keptBytes;
    if (room > 0) {
      const part = Buffer.from(chunk.subarray(0, room));
      this.#kept.push(part);
      this.#keptBytes += part.length;
    }
    if (!this.isLong) return;
    if (!wasLong) this.#options.onOverflow?.();
    await this.#store(wasLong ? chunk : Buffer.concat([...this.#kept, chunk.subarray(Math.max(0, room))]));
  }

  async #store(bytes: Buffer): Promise<void> {
    const part = bytes.subarray(0, this.#limitBytes - this.#spooled);
    if (this.#options.spool === undefined || this.#failure !== undefined || part.length === 0) return;
    try {
      this.#spool ??= await this.#options.spool();
      await this.#spool.appendFile(part);
      this.#spooled += part.length;
    } catch (error) {
      this.#failure = reasonOf(error);
    }
  }
}

async function copy(from: FileHandle, to: FileHandle, length: number): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(copyBytes, length));
  for (let at = 0; at < length; ) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, length - at), at);
    if (bytesRead === 0) return;
    await to.appendFile(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/**
 * A file that is not whole yet: a line that says what it is part of, then the bytes from the start. Its name says which process is
 * writing it, so that another may take it over once that process is gone, and two never write one file.
 *
 * Does not stop: another program of the same user that changes the file. Its bytes count only after their hash was checked.
 */
import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePrivateDirectory, ioError, temporaryName } from '../../../home/index.js';
import { releasedPath, takeOver } from './folder.js';

/** What the bytes of a part belong to. */
export interface Whole {
  /** A strong entity tag; without one no part can be continued (RFC 9110 section 13.1.5). */
  readonly etag?: string;
  readonly totalBytes?: number;
}

const mostHeadBytes = 4096;

export class Part {
  readonly #path: string;
  readonly #fd: number;
  readonly #released: string;
  #whole: Whole;
  #headBytes = 0;
  #receivedBytes = 0;

  private constructor(path: string, fd: number, released: string, whole: Whole = {}) {
    this.#path = path;
    this.#fd = fd;
    this.#released = released;
    this.#whole = whole;
  }

  /** A part for `key` (64 hex digits) below `folder`. `continues` takes over one that another process left behind. */
  static open(folder: string, key: string, continues: boolean): Part {
    const path = join(folder, `${key}${temporaryName()}`);
    try {
      mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
      ensurePrivateDirectory(folder);
      const released = releasedPath(folder, key);
      const found = continues && takeOver(folder, key, path);
      const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      const fd = openSync(path, O_RDWR | O_APPEND | O_NOFOLLOW | (found ? 0 : O_CREAT | O_EXCL), 0o600);
      const part = new Part(path, fd, released);
      if (found) part.#readHead();
      return part;
    } catch (error) {
      throw ioError('cannot use the downloads folder', folder, error);
    }
  }

  get whole(): Whole {
    return this.#whole;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** True when a request may ask for the rest only. */
  get isContinuable(): boolean {
    return this.#receivedBytes > 0 && this.#whole.etag !== undefined;
  }

  /** Drops what was received. What follows belongs to `whole`. */
  restart(whole: Whole): void {
    const head = `${JSON.stringify(whole)}\n`;
    this.#use(() => {
      ftruncateSync(this.#fd, 0);
      appendFileSync(this.#fd, head);
    });
    this.#whole = whole;
    this.#headBytes = Buffer.byteLength(head);
    this.#receivedBytes = 0;
  }

  append(chunk: Uint8Array): void {
    this.#use(() => appendFileSync(this.#fd, chunk));
    this.#receivedBytes += chunk.length;
  }

  /** What was received so far. */
  read(): Buffer {
    return this.#use(() => readFileSync(this.#path)).subarray(this.#headBytes);
  }

  /** Leaves the part for a later download when it can be continued, and removes it when not. */
  release(): void {
    closeSync(this.#fd);
    if (this.isContinuable) renameSync(this.#path, this.#released);
    else rmSync(this.#path, { force: true });
  }

  remove(): void {
    closeSync(this.#fd);
    rmSync(this.#path, { force: true });
  }

  #readHead(): void {
    const head = Buffer.alloc(mostHeadBytes);
    const got = readSync(this.#fd, head, 0, mostHeadBytes, 0);
    const end = head.subarray(0, got).indexOf(0x0a);
    const whole = end === -1 ? undefined : wholeOf(head.toString('utf8', 0, end));
    const facts = fstatSync(this.#fd);
    if (whole === undefined || !facts.isFile()) {
      this.restart({});
      return;
    }
    this.#whole = whole;
    this.#headBytes = end + 1;
    this.#receivedBytes = facts.size - this.#headBytes;
    // A server answers 416 to a request for nothing; the last byte again makes it say whether the file is still the same.
    const most = (whole.totalBytes ?? Number.POSITIVE_INFINITY) - 1;
    if (this.#receivedBytes <= most) return;
    ftruncateSync(this.#fd, this.#headBytes + most);
    this.#receivedBytes = most;
  }

  #use<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw ioError('cannot use the partial download', this.#path, error);
    }
  }
}

function wholeOf(text: string): Whole | undefined {
  try {
    const { etag, totalBytes } = JSON.parse(text) as Record<string, unknown>;
    if (typeof etag !== 'string' || !isStrongTag(etag)) return undefined;
    const isTotal = Number.isSafeInteger(totalBytes) && (totalBytes as number) > 0;
    return { etag, ...(isTotal ? { totalBytes: totalBytes as number } : {}) };
  } catch {
    return undefined;
  }
}

/** RFC 9110 section 8.8.3: a quoted tag without `W/`, in characters that a header can carry back. */
export function isStrongTag(etag: string): boolean {
  return /^"[\x21\x23-\x7e]{1,1000}"$/.test(etag);
}

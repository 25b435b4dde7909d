import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

export type JsonObject = Readonly<Record<string, unknown>>;

const LF = 0x0a;
const chunkBytes = 64 * 1024;
/** Read in one go while following; what is left is read the next time. */
const mostPerRead = 512 * 1024;
/** A FIFO in the place of a record, in a folder that somebody sent, must not be waited for. */
const withoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;
/** A line longer than this is no line of ours. */
const longestLine = 16 * 1024 * 1024;

/** The JSON objects that are appended to a file from `position` on. The file may not exist yet. */
export class LineTail {
  readonly path: string;
  #position: number;
  #fd: number | undefined;
  #part: Buffer = Buffer.alloc(0);
  /** False while the last `read` left something for the next. */
  isAtEnd = true;

  /** Starts at the end of the file as it is now, or at `from`. */
  constructor(path: string, from?: number) {
    this.path = path;
    this.#position = from ?? sizeOf(path);
  }

  /** Where the next whole line begins: everything before it was read. */
  get position(): number {
    return this.#position - this.#part.length;
  }

  /** What was appended since the last call: whole lines that are objects. */
  read(): JsonObject[] {
    const fd = this.#open();
    if (fd === undefined) return [];
    const found: JsonObject[] = [];
    const chunk = Buffer.allocUnsafe(chunkBytes);
    this.isAtEnd = false;
    for (let left = mostPerRead; left > 0; ) {
      const got = readSync(fd, chunk, 0, chunk.length, this.#position);
      if (got === 0) {
        this.isAtEnd = true;
        break;
      }
      this.#position += got;
      left -= got;
      const { lines, part } = split(Buffer.concat([this.#part, chunk.subarray(0, got)]));
      this.#part = part.length > longestLine ? Buffer.alloc(0) : part;
      found.push(...lines);
    }
    return found;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number | undefined {
    if (this.#fd !== undefined) return this.#fd;
    try {
      this.#fd = openSync(this.path, withoutWaiting);
    } catch {
      // Not there yet.
    }
    return this.#fd;
  }
}

/** The first line of a file, when it is a JSON object. */
export async function firstLine(path: string): Promise<JsonObject | undefined> {
  for await (const line of readLines(path)) return line;
  return undefined;
}

/** The JSON objects of a file up to byte `to`, and of a longer piece only those of its last `mostBytes`. */
export async function* readLines(
  path: string,
  to = Number.POSITIVE_INFINITY,
  mostBytes = to,
): AsyncGenerator<JsonObject> {
  let file: FileHandle;
  try {
    file = await open(path, withoutWaiting);
  } catch {
    return; // A record that was never written has no lines.
  }
  try {
    const end = Math.min(to, (await file.stat()).size);
    let position = Math.max(0, end - mostBytes);
    let isFirst = position > 0;
    let rest: Buffer = Buffer.alloc(0);
    while (position < end) {
      const { bytesRead, buffer } = await file.read(
        Buffer.allocUnsafe(chunkBytes),
        0,
        Math.min(chunkBytes, end - position),
        position,
      );
      if (bytesRead === 0) break;
      position += bytesRead;
      let bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      if (isFirst) {
        // It begins somewhere within a line.
        const feed = bytes.indexOf(LF);
        if (feed === -1) continue;
        bytes = bytes.subarray(feed + 1);
        isFirst = false;
      }
      const { lines, part } = split(bytes);
      rest = part.length > longestLine ? Buffer.alloc(0) : part;
      yield* lines;
    }
  } finally {
    await file.close();
  }
}

function split(bytes: Buffer): { readonly lines: readonly JsonObject[]; readonly part: Buffer } {
  const lines: JsonObject[] = [];
  let start = 0;
  for (let feed = bytes.indexOf(LF); feed !== -1; feed = bytes.indexOf(LF, start)) {
    const value = objectOf(bytes.subarray(start, feed));
    if (value !== undefined) lines.push(value);
    start = feed + 1;
  }
  return { lines, part: Buffer.from(bytes.subarray(start)) };
}

function objectOf(bytes: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8').replaceAll('\0', ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined; // Torn or foreign. `mur trace` reports damage; here the rest is shown.
  }
}

export function sizeOf(path: string): number {
  try {
    const fd = openSync(path, withoutWaiting);
    try {
      return fstatSync(fd).size;
    } finally {
      closeSync(fd);
    }
  } catch {
    return 0;
  }
}

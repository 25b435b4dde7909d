import { closeSync, constants, fdatasync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MurError } from '../errors/index.js';
import { errnoOf, ioError } from './failure.js';
import type { AppendFile } from './types.js';
import type { Place, Walker } from './walk.js';

const LF = 0x0a;
const syncData = promisify(fdatasync);

/** Opens `name` inside `place` for appending, made with `mode` when missing. Only a regular file will do. */
export function openAppend(walker: Walker, place: Place, name: string, mode: number): AppendFile {
  const path = join(place.path, name);
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  let fd: number;
  try {
    fd = openSync(walker.at(place, name), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP') throw walker.refuse(path, 'the path is a link');
    throw error;
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) throw new MurError('E-IO-003', `${path} is not a regular file`);
    return new OpenAppendFile(path, fd, facts.size > 0 && lastByte(fd, facts.size) !== LF);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function lastByte(fd: number, size: number): number {
  const byte = Buffer.alloc(1);
  readSync(fd, byte, 0, 1, size - 1);
  return byte[0]!;
}

class OpenAppendFile implements AppendFile {
  readonly path: string;
  readonly #fd: number;
  /** The file ends in a line that was never finished. */
  #torn: boolean;
  #closed = false;

  constructor(path: string, fd: number, torn: boolean) {
    this.path = path;
    this.#fd = fd;
    this.#torn = torn;
  }

  write(bytes: Uint8Array | string): void {
    // The number of a closed descriptor may by now name something else.
    if (this.#closed) throw new MurError('E-IO-003', `cannot append to ${this.path}: it is closed`);
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    let written = 0;
    try {
      while (written < buffer.length) written += writeSync(this.#fd, buffer, written);
    } catch (error) {
      throw ioError('cannot append to', this.path, error);
    } finally {
      if (written > 0) this.#torn = buffer[written - 1] !== LF;
    }
  }

  writeLine(line: string): void {
    this.write(this.#torn ? `\n${line}\n` : `${line}\n`);
  }

  async flush(): Promise<void> {
    if (this.#closed) return;
    try {
      await syncData(this.#fd);
    } catch (error) {
      throw ioError('cannot flush', this.path, error);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#fd);
  }
}

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { MurError } from '../errors/index.js';
import { errnoOf } from './failure.js';
import type { Place, Walker } from './walk.js';

/**
 * The bytes of the regular file `name` inside `place`; `undefined` when nothing has that name. Never waits: a FIFO or a device
 * is opened without blocking and then refused.
 */
export function readLeaf(walker: Walker, place: Place, name: string, limitBytes: number): Buffer | undefined {
  const path = join(place.path, name);
  const fd = openLeaf(walker, place, name);
  if (fd === undefined) return undefined;
  try {
    if (!fstatSync(fd).isFile()) throw new MurError('E-IO-003', `${path} is not a regular file`);
    const bytes = readUpTo(fd, limitBytes + 1);
    if (bytes.length <= limitBytes) return bytes;
    throw new MurError('E-IO-003', `${path} is larger than ${limitBytes} bytes, the most that is read from it`);
  } finally {
    closeSync(fd);
  }
}

function openLeaf(walker: Walker, place: Place, name: string): number | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(walker.at(place, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    switch (errnoOf(error)) {
      case 'ENOENT':
        return undefined;
      case 'ELOOP':
        throw walker.refuse(join(place.path, name), 'the path is a link');
      // A socket, or a device without a driver: neither can be opened, and neither is a file.
      case 'ENXIO':
        throw new MurError('E-IO-003', `${join(place.path, name)} is not a regular file`);
      default:
        throw error;
    }
  }
}

/** At most `limit` bytes from the start. Grows with what is there, because the size may change while it is read. */
function readUpTo(fd: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  for (let wanted = Math.min(limit, fstatSync(fd).size + 1); total < limit; wanted = 64 * 1024) {
    const chunk = Buffer.allocUnsafe(Math.min(wanted, limit - total));
    const got = readSync(fd, chunk, 0, chunk.length, null);
    if (got === 0) break;
    chunks.push(chunk.subarray(0, got));
    total += got;
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, total);
}

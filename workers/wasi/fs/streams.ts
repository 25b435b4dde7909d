import { closeSync, constants, fdatasyncSync, fstatSync, readSync, writeSync } from 'node:fs';
import { IoError } from '../io/error.js';
import { type ByteSink, type ByteSource, streamChunkBytes } from '../io/streams.js';
import { fsCodeOf } from './errors.js';
import type { Held, SharedFile } from './held.js';
import type { Tree } from './tree.js';

/** A file read from `offset` on, as a stream. */
export function fileSource(file: SharedFile, offset: bigint): ByteSource {
  const held = file.retain();
  let position = offset;
  let open = true;
  return {
    read: (maxBytes) => {
      if (maxBytes === 0) return new Uint8Array(0);
      const bytes = readAt(held.fd, maxBytes, position);
      position += BigInt(bytes.length);
      return bytes.length === 0 ? undefined : bytes;
    },
    waiting: () => ({ kind: 'ready' }),
    close: () => {
      if (open) held.release();
      open = false;
    },
  };
}

/** A file written from `offset` on, as a stream. */
export function fileSink(file: SharedFile, offset: bigint): ByteSink {
  const held = file.retain();
  let position = offset;
  return sink(
    held.fd,
    (bytes) => {
      writeAt(held.fd, bytes, position);
      position += BigInt(bytes.length);
    },
    () => held.release(),
  );
}

/** A file written at its end, as a stream. Atomic between writers where the tree can reopen the file for appending. */
export function appendSink(tree: Tree, held: Held, file: SharedFile): ByteSink {
  const appendFd = tree.reopen(file.fd, constants.O_WRONLY | constants.O_APPEND);
  if (appendFd === undefined) {
    const shared = file.retain();
    return sink(
      shared.fd,
      (bytes) => writeAt(shared.fd, bytes, fstatSync(shared.fd, { bigint: true }).size),
      () => shared.release(),
    );
  }
  const hold = held.add(() => closeSync(appendFd));
  return sink(
    appendFd,
    (bytes) => writeAt(appendFd, bytes, null),
    () => hold.release(),
  );
}

function sink(fd: number, write: (bytes: Uint8Array) => void, release: () => void): ByteSink {
  let open = true;
  return {
    capacity: () => streamChunkBytes,
    write: (bytes) => guard(() => write(bytes)),
    // A blocking flush is the guest's only way to hear of a late write error, so it reaches the disk.
    flush: (wait) => {
      if (wait) guard(() => fdatasyncSync(fd));
    },
    waiting: () => ({ kind: 'ready' }),
    close: () => {
      if (open) release();
      open = false;
    },
  };
}

/** Up to `maxBytes` at `offset`; empty at the end of the file. Throws an `IoError`. */
function readAt(fd: number, maxBytes: number, offset: bigint): Uint8Array {
  return guard(() => {
    const buffer = new Uint8Array(maxBytes);
    return buffer.subarray(0, readSync(fd, buffer, 0, maxBytes, offset));
  });
}

/** All of `bytes` at `offset` (`null`: where the descriptor appends). */
export function writeAt(fd: number, bytes: Uint8Array, offset: bigint | null): void {
  for (let done = 0; done < bytes.length; ) {
    const position = offset === null ? null : Number(offset) + done;
    done += writeSync(fd, bytes, done, bytes.length - done, position);
  }
}

function guard<T>(act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    const code = fsCodeOf(thrown);
    throw code === undefined ? thrown : new IoError(`filesystem error: ${code}`, { filesystem: code });
  }
}

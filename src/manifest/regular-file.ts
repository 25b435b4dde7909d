import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The bytes of the regular file at `path`. Throws the system error, or an `Error` with the reason, for anything else: a FIFO
 * or device there cannot hang the caller, and no more than `maxBytes` are ever read. Follows links: for paths an operator named.
 */
export function readRegularFile(path: string, maxBytes: number): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error(stat.isDirectory() ? 'is a directory' : 'not a regular file');
    if (stat.size > maxBytes) throw new Error(`larger than ${maxBytes} bytes`);
    // One byte of room shows a file that grew while it was read.
    const buffer = Buffer.allocUnsafe(stat.size + 1);
    let length = 0;
    while (length < buffer.length) {
      const read = readSync(fd, buffer, length, buffer.length - length, null);
      if (read === 0) return buffer.subarray(0, length);
      length += read;
    }
    throw new Error('it grew while it was read');
  } finally {
    closeSync(fd);
  }
}

/** The file as text. Throws as `readRegularFile` does, and for bytes that are no UTF-8. */
export function readRegularText(path: string, maxBytes: number): string {
  const bytes = readRegularFile(path, maxBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error('not valid UTF-8');
  }
}

/** True for the system's word that nothing is at the path. */
export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

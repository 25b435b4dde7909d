import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { MurError, reasonOf } from '../errors/index.js';
import { syntaxFault } from './report.js';
import { maxManifestBytes } from './yaml.js';

/**
 * The text of the manifest at `path`. Refuses what is no regular file, so a FIFO there cannot hang the launch, and reads no
 * more than the parser takes.
 */
export async function readManifestText(path: string): Promise<string> {
  const bytes = await readRegularFile(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw syntaxFault(path, 'the file is not valid UTF-8', undefined);
  }
}

async function readRegularFile(path: string): Promise<Uint8Array> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) throw new Error('not a regular file');
      // One byte more than allowed, so that the parser sees an oversized file as oversized.
      const buffer = Buffer.alloc(maxManifestBytes + 1);
      let length = 0;
      for (;;) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
        length += bytesRead;
        if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new MurError('E-IO-001', `murmur.yaml not found at ${path}`);
    if (code === 'EACCES' || code === 'EPERM') {
      throw new MurError('E-IO-002', `reading the manifest: permission denied: ${path}`);
    }
    throw new MurError('E-IO-003', `failed to read murmur.yaml at ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

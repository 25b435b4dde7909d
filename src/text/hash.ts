import { createHash } from 'node:crypto';

/** Lowercase hex sha256 of exactly these bytes; text is hashed as UTF-8. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

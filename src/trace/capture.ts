import { join } from 'node:path';
import type { HeldDirectory } from '../home/types.js';
import { sha256Hex } from '../text/index.js';

/**
 * The bytes behind the hashes of a trace, under `blobs/<sha256>` in the records directory. Used only under `trace.capture:
 * content`, and before the line that names a hash is written. Verbatim: nothing is redacted here.
 */
export class BlobStore {
  readonly #records: HeldDirectory;
  readonly #kept = new Set<string>();
  #writtenBytes = 0;

  constructor(records: HeldDirectory) {
    this.#records = records;
  }

  /** Bytes written so far. Blobs have no limit, so the end of the session reports them. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** The hash of `bytes`, which are on disk when this returns. A blob that is there already is left as it is. */
  put(bytes: Uint8Array | string): string {
    const hash = sha256Hex(bytes);
    if (this.#kept.has(hash)) return hash;
    const rel = join('blobs', hash);
    if (this.#records.stat(rel) === undefined) {
      this.#records.writeFile(rel, bytes, { mode: 0o600, directoryMode: 0o700 });
      this.#writtenBytes += Buffer.byteLength(bytes);
    }
    this.#kept.add(hash);
    return hash;
  }
}

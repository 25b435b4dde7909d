import { opendirSync } from 'node:fs';
import { asResult, FsFailure } from './errors.js';
import type { Held, Hold } from './held.js';
import { type DescriptorType, typeOf } from './stat.js';
import type { Dir } from './tree.js';

/** `wasi:filesystem/types#directory-entry`. */
export interface DirectoryEntry {
  readonly type: DescriptorType;
  readonly name: string;
}

interface RawDir {
  readSync(): RawEntry | null;
  closeSync(): void;
}
type RawEntry = Parameters<typeof typeOf>[0] & { readonly name: Buffer };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `wasi:filesystem/types#directory-entry-stream`. Reads as it goes, so a huge directory costs no memory. */
export class DirectoryEntryStream {
  readonly #dir: RawDir;
  readonly #hold: Hold;
  #ended = false;

  constructor(held: Held, dir: Dir) {
    // Node types `encoding` as text only; with `buffer` the entries carry the raw bytes of the name.
    const raw = opendirSync(dir.path, { encoding: 'buffer' as BufferEncoding }) as unknown as RawDir;
    this.#dir = raw;
    this.#hold = held.add(() => raw.closeSync());
  }

  /** The next entry, `undefined` at the end. A name that is not UTF-8 is an error of that entry; reading may go on. */
  readDirectoryEntry(): DirectoryEntry | undefined {
    return asResult(() => {
      const entry = this.#ended ? null : this.#dir.readSync();
      if (entry !== null) return { type: typeOf(entry), name: decodeName(entry.name) };
      this[Symbol.dispose]();
      return undefined;
    });
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#hold.release();
  }
}

function decodeName(name: Buffer): string {
  try {
    return strictUtf8.decode(name);
  } catch {
    throw new FsFailure('illegal-byte-sequence');
  }
}

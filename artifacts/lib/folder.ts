/**
 * The work folder through WASI, with errors as sentences. Everything here is bounded by the file host: it refuses links
 * that lead out, devices and FIFOs. Read next: path.ts for what is refused before the host is asked.
 */
import type { Descriptor, DescriptorType } from 'wasj:filesystem/types@0.2.9';
import { Failure } from './failure.js';
import { parent } from './path.js';
import { payloadOf } from './payload.js';
import { type Bytes, encode, Utf8Decoder } from './utf8.js';

export interface Entry {
  readonly name: string;
  readonly type: DescriptorType;
}

export interface Entries {
  readonly entries: readonly Entry[];
  readonly unnamed: number;
}

/** The words for entries that were left out. */
export function unnamedNote(count: number): string {
  return `left out ${count} entries whose names are not UTF-8`;
}

const follow = { symlinkFollow: true };
const stay = { symlinkFollow: false };
const chunkBytes = 64 * 1024;

export class Folder {
  readonly #root: Descriptor;

  constructor(root: Descriptor) {
    this.#root = root;
  }

  /** Type and size in bytes of what `path` names, links followed. */
  stat(path: string): { type: DescriptorType; size: number } {
    if (path === '.') return { type: 'directory', size: 0 };
    return this.#try(path, () => this.#root.statAt(follow, path));
  }

  exists(path: string): boolean {
    if (path === '.') return true;
    try {
      this.#root.statAt(follow, path);
      return true;
    } catch (error) {
      if (payloadOf(error) === 'no-entry') return false;
      throw this.#failure(path, error);
    }
  }

  /** Size in bytes of a file without following links; 0 when it cannot be told. */
  sizeOf(path: string): number {
    try {
      return this.#root.statAt(stay, path).size;
    } catch {
      return 0;
    }
  }

  /**
   * What the folder `path` holds, sorted by name. A name that is not UTF-8 cannot be given to any action, so it is left out
   * and counted in `unnamed`; it must not hide the rest.
   */
  entries(path: string): Entries {
    return this.#try(path, () => {
      using folder = this.#root.openAt(follow, path, { directory: true }, { read: true });
      using stream = folder.readDirectory();
      const entries: Entry[] = [];
      let unnamed = 0;
      for (;;) {
        try {
          const entry = stream.readDirectoryEntry();
          if (entry === null) break;
          entries.push(entry);
        } catch (error) {
          if (payloadOf(error) !== 'illegal-byte-sequence') throw error;
          unnamed++;
        }
      }
      return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), unnamed };
    });
  }

  /** The bytes of the regular file `path`, piece by piece. Throws `Failure` when it is longer than `limitBytes`. */
  *chunks(path: string, limitBytes = Number.MAX_SAFE_INTEGER): Generator<Bytes> {
    const { type, size } = this.stat(path);
    if (type === 'directory') throw new Failure(`${path} is a folder; list it to see what it holds`);
    if (type !== 'regular-file') throw new Failure(`${path} is not a regular file`);
    if (size > limitBytes)
      throw new Failure(`${path} has ${size} bytes; files of at most ${limitBytes} bytes can be read`);
    using file = this.#try(path, () => this.#root.openAt(follow, path, {}, { read: true }));
    for (let offset = 0; ; ) {
      // One byte more than is left, so that the end shows in the same read.
      const length = Math.min(chunkBytes, Math.max(0, size - offset) + 1);
      const [bytes, end] = this.#try(path, () => file.read(length, offset));
      offset += bytes.length;
      if (bytes.length > 0) yield bytes;
      if (end || bytes.length === 0) return;
    }
  }

  /** The whole text of `path`. Throws `Failure` when it is longer than `limitBytes` or not UTF-8. */
  readText(path: string, limitBytes: number): string {
    const decoder = new Utf8Decoder();
    let text = '';
    for (const bytes of this.chunks(path, limitBytes)) text += decoder.push(bytes);
    text += decoder.end();
    if (decoder.malformed > 0) throw notText(path);
    return text;
  }

  /**
   * Makes `text` the content of `path`; the folder must exist. Written over the old content and cut to length afterwards,
   * so that a file keeps its permissions and is never empty in between.
   */
  writeText(path: string, text: string): void {
    this.writeBytes(path, encode(text));
  }

  /** The same for bytes. */
  writeBytes(path: string, bytes: Uint8Array): void {
    this.#try(path, () => {
      using file = this.#root.openAt(follow, path, { create: true }, { write: true });
      for (let at = 0; at < bytes.length; ) at += file.write(bytes.subarray(at, at + chunkBytes), at);
      file.setSize(bytes.length);
    });
  }

  removeFile(path: string): void {
    this.#try(path, () => this.#root.unlinkFileAt(path));
  }

  /** Makes the folder `path` and those above it that are missing. */
  makeFolder(path: string): void {
    if (path === '.' || this.exists(path)) return;
    this.makeFolder(parent(path));
    this.#try(path, () => this.#root.createDirectoryAt(path));
  }

  #try<T>(path: string, step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw this.#failure(path, error);
    }
  }

  /** `error` as a sentence when the file system gave a reason; anything else is a bug and stays as it is. */
  #failure(path: string, error: unknown): unknown {
    const code = payloadOf(error);
    return typeof code === 'string' ? new Failure(this.#explain(path, code)) : error;
  }

  #explain(path: string, code: string): string {
    if (code === 'no-entry') return `${path} does not exist; ${this.#neighbours(path)}`;
    const known = reasons[code];
    return known ? `${path} ${known}` : `${path}: the file system answered ${code}`;
  }

  #neighbours(path: string): string {
    const folder = parent(path);
    if (folder !== '.' && !this.exists(folder)) return `neither does the folder ${folder}`;
    const { entries } = this.entries(folder);
    const names = entries.map((entry) => (entry.type === 'directory' ? `${entry.name}/` : entry.name));
    const place = folder === '.' ? 'the work folder' : folder;
    if (names.length === 0) return `${place} is empty`;
    return `${place} holds ${names.slice(0, 20).join(', ')}${names.length > 20 ? `, and ${names.length - 20} more` : ''}`;
  }
}

const reasons: Record<string, string> = {
  access: 'may not be accessed',
  'is-directory': 'is a folder; name a file',
  'not-directory': 'has a file where a folder is needed',
  'not-permitted': 'leads outside the work folder or is not a regular file; only regular files inside it can be used',
  'read-only': 'cannot be changed: this folder is read only',
  loop: 'is a chain of links without an end',
  'name-too-long': 'has a name that is too long',
  'insufficient-space': 'cannot be written: no space is left',
  quota: 'cannot be written: the quota is used up',
  'file-too-large': 'would become too large',
};

export function notText(path: string): Failure {
  return new Failure(`${path} is not UTF-8 text, so it cannot be read or edited with this tool`);
}

import { closeSync, constants, fstatSync, lstatSync, openSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MurError } from '../errors/index.js';
import { openAppend } from './append-file.js';
import { entriesOf, statOf } from './entries.js';
import { errnoOf, ioError } from './failure.js';
import { Latch } from './latch.js';
import { maker, narrow, reopen } from './make-directory.js';
import { readLeaf } from './read-leaf.js';
import { removeLeaf } from './remove-leaf.js';
import type { AppendFile, DirectoryIdentity, Entry, EntryStat, HeldDirectory, RefusalLatch } from './types.js';
import { DEFAULT_FILE_MODE } from './types.js';
import { type Anchor, hostAnchor, type Place, type Steps, Walker } from './walk.js';
import { writeLeaf } from './write-leaf.js';

/** Mode of folders made on the way to a file in the work folder. */
const defaultDirectoryMode = 0o755;

/**
 * Opens an existing directory and holds it. Links in `path` itself are followed: it is the caller's, nothing inside a session
 * chose it. Throws `E-IO-001`, `E-IO-002` or `E-IO-003`.
 */
export function holdDirectory(
  path: string,
  options: { readonly latch?: RefusalLatch; readonly anchor?: Anchor } = {},
): HeldDirectory {
  const absolute = resolve(path);
  try {
    const fd = openSync(absolute, constants.O_RDONLY | constants.O_DIRECTORY);
    return new Held({ fd, path: absolute }, options.latch ?? new Latch(), options.anchor ?? hostAnchor);
  } catch (error) {
    throw ioError('cannot open the directory', absolute, error);
  }
}

class Held implements HeldDirectory {
  readonly path: string;
  readonly fd: number;
  readonly latch: RefusalLatch;
  readonly identity: DirectoryIdentity;
  readonly #anchor: Anchor;
  readonly #walker: Walker;
  #closed = false;

  constructor(place: Place, latch: RefusalLatch, anchor: Anchor) {
    this.path = place.path;
    this.fd = place.fd;
    this.latch = latch;
    this.#anchor = anchor;
    this.#walker = new Walker(anchor, latch);
    const { dev, ino } = fstatSync(place.fd, { bigint: true });
    this.identity = { dev, ino };
  }

  readFile(rel: string, options: { readonly limitBytes: number }): Buffer | undefined {
    return this.#orMissing('read', rel, () =>
      this.#inParent(rel, (place, name) => readLeaf(this.#walker, place, name, options.limitBytes)),
    );
  }

  writeFile(
    rel: string,
    bytes: Uint8Array | string,
    options: { readonly mode?: number; readonly mkdirs?: boolean; readonly directoryMode?: number } = {},
  ): void {
    const { mode = DEFAULT_FILE_MODE, mkdirs = true, directoryMode = defaultDirectoryMode } = options;
    this.#run('write', rel, () =>
      this.#inParent(
        rel,
        (place, name) => writeLeaf(this.#walker, place, name, bytes, mode),
        mkdirs ? { missing: maker(this.#walker, directoryMode) } : {},
      ),
    );
  }

  openAppend(rel: string, mode: number): AppendFile {
    return this.#run('open', rel, () =>
      this.#inParent(rel, (place, name) => openAppend(this.#walker, place, name, mode)),
    );
  }

  mkdir(rel: string, mode: number): void {
    this.#run('make the directory', rel, () =>
      this.#within(rel, () => undefined, { missing: maker(this.#walker, mode) }),
    );
  }

  remove(rel: string): boolean {
    return (
      this.#orMissing('remove', rel, () =>
        this.#inParent(rel, (place, name) => removeLeaf(this.#walker, place, name)),
      ) ?? false
    );
  }

  rename(from: string, to: string): void {
    this.#run('rename', from, () => {
      for (const name of [from, to]) {
        if (this.#walker.names(this, name).length !== 1) throw this.#walker.refuse(join(this.path, name), 'not a name');
      }
      // A folder would replace an empty one of that name. Nobody makes ours except under a name of their own.
      if (lstatSync(this.#walker.at(this, to), { throwIfNoEntry: false }) !== undefined) {
        throw new MurError('E-IO-003', `${join(this.path, to)} already exists`);
      }
      renameSync(this.#walker.at(this, from), this.#walker.at(this, to));
    });
  }

  list(rel: string): Entry[] {
    return this.#run('list', rel, () => this.#within(rel, (place) => entriesOf(this.#walker, place)));
  }

  stat(rel: string): EntryStat | undefined {
    return this.#orMissing('look at', rel, () =>
      this.#inParent(rel, (place, name) => {
        const facts = lstatSync(this.#walker.at(place, name), { throwIfNoEntry: false });
        return facts === undefined ? undefined : statOf(facts);
      }),
    );
  }

  openDirectory(rel: string): number {
    return this.#run('open the directory', rel, () => this.#within(rel, (place) => reopen(this.#walker, place)));
  }

  hold(rel: string, options: { readonly mode?: number } = {}): HeldDirectory {
    const { mode } = options;
    return this.#run('hold the directory', rel, () =>
      this.#within(
        rel,
        (place) => new Held({ fd: reopen(this.#walker, place), path: place.path }, this.latch, this.#anchor),
        mode === undefined
          ? {}
          : { missing: maker(this.#walker, mode), entered: (place) => narrow(this.#walker, place, mode) },
      ),
    );
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.fd);
  }

  #within<T>(rel: string, use: (place: Place) => T, steps?: Steps): T {
    return this.#walker.within(this, this.#walker.names(this, rel), use, steps);
  }

  #inParent<T>(rel: string, use: (place: Place, name: string) => T, steps?: Steps): T {
    const names = this.#walker.names(this, rel);
    const name = names.at(-1);
    if (name === undefined) throw this.#walker.refuse(this.path, 'the path names the directory itself');
    return this.#walker.within(this, names.slice(0, -1), (place) => use(place, name), steps);
  }

  #orMissing<T>(action: string, rel: string, work: () => T): T | undefined {
    return this.#run(action, rel, () => {
      try {
        return work();
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return undefined;
        throw error;
      }
    });
  }

  #run<T>(action: string, rel: string, work: () => T): T {
    // The number of a closed descriptor may by now name something else.
    if (this.#closed)
      throw new MurError('E-IO-003', `cannot ${action} ${join(this.path, rel)}: ${this.path} is closed`);
    try {
      return work();
    } catch (error) {
      throw ioError(`cannot ${action}`, join(this.path, rel), error);
    }
  }
}

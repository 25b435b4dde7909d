/**
 * Walking below a directory descriptor, one component at a time, without following links.
 *
 * Linux: every step opens `/proc/self/fd/<parent>/<name>`, which the kernel resolves from the directory we hold, so a
 * component that is swapped between two steps leads nowhere. Elsewhere there is no such path: a step opens
 * `<path>/<name>`, the last component is still never followed, but a parent swapped in between is not noticed.
 *
 * Does not stop: a hard link to a file outside, made by somebody who may read that file; a bind mount below the directory;
 * links in the path of the directory itself, which is the operator's to choose.
 */
import { closeSync, constants, existsSync, lstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { MurError } from '../errors/index.js';
import { errnoOf, ioError } from './failure.js';
import { segmentsOf } from './segments.js';
import type { RefusalLatch } from './types.js';

/** How a component is named to the system. `path` is the fallback for systems without `/proc/self/fd`. */
export type Anchor = 'descriptor' | 'path';

export const hostAnchor: Anchor = process.platform === 'linux' ? 'descriptor' : 'path';

/** An open directory on the way to something. */
export interface Place {
  readonly fd: number;
  readonly path: string;
}

/** What a walk does on its way. */
export interface Steps {
  /** Called for a component that is not there; may make it. */
  readonly missing?: (place: Place, name: string) => void;
  /** Called for each component once it is open. */
  readonly entered?: (place: Place) => void;
}

/** A walk may meet a component that changes under it; after this many tries it is refused. */
const maxTries = 8;

/** From include/uapi/asm-generic/fcntl.h; Node does not name it. A path descriptor needs no read permission. */
const O_PATH = 0o10000000;

export class Walker {
  readonly #anchor: Anchor;
  readonly #latch: RefusalLatch;

  constructor(anchor: Anchor, latch: RefusalLatch) {
    this.#anchor = anchor;
    this.#latch = latch;
  }

  /** The name to give the system for `name` inside `place`. */
  at(place: Place, name: string): string {
    return this.#anchor === 'descriptor' ? `/proc/self/fd/${place.fd}/${name}` : join(place.path, name);
  }

  /** The same for a name that may be no UTF-8. */
  atBytes(place: Place, name: Uint8Array): Buffer {
    return Buffer.concat([Buffer.from(this.at(place, '')), Buffer.from('/'), name]);
  }

  /** The name to give the system for `place` itself. */
  self(place: Place): string {
    return this.#anchor === 'descriptor' ? `/proc/self/fd/${place.fd}` : place.path;
  }

  /** A refusal: sets the latch and returns the error to throw. */
  refuse(path: string, reason: string): MurError {
    this.#latch.set(`${path}: ${reason}`);
    return new MurError('E-RUN-906', `${path} was refused: ${reason}`, {
      hint: 'something tried to lead the runtime out of its folder; remove the link and look at what made it',
    });
  }

  /** The components of `rel`; a path that could leave `root` is refused. */
  names(root: Place, rel: string): readonly string[] {
    const segments = segmentsOf(rel);
    if (!segments.ok) throw this.refuse(join(root.path, JSON.stringify(rel)), segments.reason);
    return segments.names;
  }

  /**
   * Calls `use` with the directory that `names` leads to, and closes what was opened on the way. A missing component throws
   * `ENOENT`, unless `steps.missing` makes it.
   */
  within<T>(root: Place, names: readonly string[], use: (place: Place) => T, steps: Steps = {}): T {
    let place = root;
    try {
      for (const name of names) {
        const next = this.#enter(place, name, steps.missing);
        this.leave(root, place);
        place = next;
        steps.entered?.(place);
      }
      return use(place);
    } finally {
      this.leave(root, place);
    }
  }

  /** Opens the directory `name` inside `place`, as a path descriptor where there is one; a link is refused. */
  enter(place: Place, name: string): Place {
    const path = join(place.path, name);
    const flags = this.#anchor === 'descriptor' ? O_PATH : constants.O_RDONLY;
    for (let tries = 0; tries < maxTries; tries += 1) {
      try {
        return { fd: openSync(this.at(place, name), flags | constants.O_DIRECTORY | constants.O_NOFOLLOW), path };
      } catch (error) {
        const code = errnoOf(error);
        if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
        const found = lstatSync(this.at(place, name), { throwIfNoEntry: false });
        if (found?.isSymbolicLink()) throw this.refuse(path, 'the path leads through a link');
        if (found !== undefined && !found.isDirectory()) throw ioError('cannot open', path, error);
      }
    }
    throw this.refuse(path, 'the path changed while it was walked');
  }

  /** Closes `place`, unless it is the root of the walk. */
  leave(root: Place, place: Place): void {
    if (place.fd !== root.fd) closeSync(place.fd);
  }

  #enter(place: Place, name: string, missing: Steps['missing']): Place {
    // Asking first is cheaper than an exception. A link to nowhere reads as missing, cannot be made, and is then refused.
    if (missing !== undefined && !existsSync(this.at(place, name))) missing(place, name);
    return this.enter(place, name);
  }
}

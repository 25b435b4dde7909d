import { closeSync } from 'node:fs';
import { fail } from './errors.js';

/** Open files and directories of one guest call. Bounds how many of the process's descriptors a guest can take. */
const mostHeld = 256;

/** Something of the guest's that must be closed, at the latest when the call ends. */
export interface Hold {
  /** Idempotent. */
  release(): void;
}

export class Held {
  readonly #holds = new Set<Hold>();

  /** Takes `close` over. At the limit it closes at once and fails, so the caller has nothing to clean up. */
  add(close: () => void): Hold {
    if (this.#holds.size >= mostHeld) {
      close();
      fail('insufficient-memory');
    }
    const hold: Hold = {
      release: () => {
        if (this.#holds.delete(hold)) close();
      },
    };
    this.#holds.add(hold);
    return hold;
  }

  releaseAll(): void {
    for (const hold of [...this.#holds]) hold.release();
  }
}

/** An open file shared by a descriptor and the streams made from it; closed when the last of them is dropped. */
export class SharedFile {
  readonly fd: number;
  readonly #hold: Hold;
  #users = 1;

  constructor(held: Held, fd: number) {
    this.fd = fd;
    this.#hold = held.add(() => closeSync(fd));
  }

  retain(): this {
    this.#users += 1;
    return this;
  }

  release(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#hold.release();
  }
}

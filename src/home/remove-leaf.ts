import { randomBytes } from 'node:crypto';
import { chmodSync, fstatSync, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { errnoOf } from './failure.js';
import type { Place, Walker } from './walk.js';

/** Directories deeper than this are moved up before they are removed, so that a deep tree cannot use up our descriptors. */
const maxDepth = 32;

/** A directory that others refill while it is emptied is emptied again this often before we give up. */
const maxRefills = 8;

/**
 * Removes `name` inside `place`: a file, a link, or a directory with everything in it. Links are removed, never followed, and a
 * directory nobody may enter is made enterable first. False when nothing had that name.
 */
export function removeLeaf(walker: Walker, place: Place, name: string): boolean {
  const target = walker.at(place, name);
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory()) unlinkSync(target);
  else removeTree(walker, place, name);
  return true;
}

function removeTree(walker: Walker, place: Place, name: string): void {
  for (let refills = 0; ; refills += 1) {
    walker.within(place, [name], (root) => {
      while (new Emptying(walker, root).run());
    });
    try {
      rmdirSync(walker.at(place, name));
      return;
    } catch (error) {
      if (errnoOf(error) !== 'ENOTEMPTY' || refills === maxRefills) throw error;
    }
  }
}

/** One pass over a tree. */
class Emptying {
  readonly #walker: Walker;
  readonly #root: Place;
  #movedUp = false;

  constructor(walker: Walker, root: Place) {
    this.#walker = walker;
    this.#root = root;
  }

  /** True when deep folders were moved up to the root, for another pass to empty. */
  run(): boolean {
    this.#empty(this.#root, 0);
    return this.#movedUp;
  }

  #empty(place: Place, depth: number): void {
    for (const name of entryNames(this.#walker, place)) {
      const target = this.#walker.atBytes(place, name);
      if (!lstatSync(target, { throwIfNoEntry: false })?.isDirectory()) unlinkSync(target);
      else if (depth < maxDepth) this.#removeBelow(place, name, depth);
      else {
        renameSync(target, this.#walker.at(this.#root, plainName()));
        this.#movedUp = true;
      }
    }
  }

  #removeBelow(place: Place, name: Buffer, depth: number): void {
    const walker = this.#walker;
    let plain = name.toString();
    // A name that is no UTF-8 cannot be walked through as text, so such a folder is renamed first.
    if (!Buffer.from(plain).equals(name)) {
      plain = plainName();
      renameSync(walker.atBytes(place, name), walker.at(place, plain));
    }
    walker.within(place, [plain], (below) => this.#empty(below, depth + 1));
    rmdirSync(walker.at(place, plain));
  }
}

function plainName(): string {
  return randomBytes(8).toString('hex');
}

function entryNames(walker: Walker, place: Place): Buffer[] {
  const whole = 0o700;
  if ((fstatSync(place.fd).mode & whole) !== whole) chmodSync(walker.self(place), whole);
  return readdirSync(walker.self(place), 'buffer');
}

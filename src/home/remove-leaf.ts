import { randomBytes } from 'node:crypto';
import { chmodSync, fstatSync, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { errnoOf } from './failure.js';
import type { Place, Walker } from './walk.js';

/** Directories deeper than this are moved up before they are removed, so that a deep tree cannot use up our descriptors. */
const maxDepth = 32;

/** A directory refilled while it is emptied is emptied again this often before we give up. */
const maxPasses = 8;

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
  for (let pass = 1; ; pass += 1) {
    walker.within(place, [name], (root) => empty(walker, root, root, 0));
    try {
      rmdirSync(walker.at(place, name));
      return;
    } catch (error) {
      if (errnoOf(error) !== 'ENOTEMPTY' || pass === maxPasses) throw error;
    }
  }
}

function empty(walker: Walker, root: Place, place: Place, depth: number): void {
  for (const name of entryNames(walker, place)) {
    const target = walker.atBytes(place, name);
    if (!lstatSync(target, { throwIfNoEntry: false })?.isDirectory()) unlinkSync(target);
    else if (depth === maxDepth) renameSync(target, walker.at(root, randomBytes(8).toString('hex')));
    else removeBelow(walker, root, place, name, depth);
  }
}

function removeBelow(walker: Walker, root: Place, place: Place, name: Buffer, depth: number): void {
  // Names that are no UTF-8 cannot be walked through by text; such a directory gets a plain name first.
  let plain = name.toString();
  if (!Buffer.from(plain).equals(name)) {
    plain = randomBytes(8).toString('hex');
    renameSync(walker.atBytes(place, name), walker.at(place, plain));
  }
  const below = walker.enter(place, plain);
  try {
    empty(walker, root, below, depth + 1);
  } finally {
    walker.leave(place, below);
  }
  rmdirSync(walker.at(place, plain));
}

function entryNames(walker: Walker, place: Place): Buffer[] {
  const whole = 0o700;
  if ((fstatSync(place.fd).mode & whole) !== whole) chmodSync(walker.self(place), whole);
  return readdirSync(walker.self(place), 'buffer');
}

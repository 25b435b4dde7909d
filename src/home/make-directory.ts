import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { errnoOf } from './failure.js';
import type { Place, Walker } from './walk.js';

/** A step that makes a missing component with `mode`; somebody making it first is no failure. */
export function maker(walker: Walker, mode: number): (place: Place, name: string) => void {
  return (place, name) => {
    try {
      mkdirSync(walker.at(place, name), mode);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  };
}

/** A readable descriptor of `place`, which may be only a path descriptor. */
export function reopen(walker: Walker, place: Place): number {
  return openSync(walker.self(place), constants.O_RDONLY | constants.O_DIRECTORY);
}

/** Takes from `place` every permission that is not in `mode`. */
export function narrow(walker: Walker, place: Place, mode: number): void {
  const current = fstatSync(place.fd).mode & 0o777;
  if ((current & ~mode) === 0) return;
  const fd = reopen(walker, place);
  try {
    fchmodSync(fd, current & mode);
  } finally {
    closeSync(fd);
  }
}

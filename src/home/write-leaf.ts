import { closeSync, constants, fchmodSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryName } from './temporary.js';
import type { Place, Walker } from './walk.js';

/**
 * Replaces the file `name` inside `place` with `bytes` in one step, with exactly `mode` whatever the umask. An existing link is
 * refused; a link made after that look is replaced, never written through.
 */
export function writeLeaf(walker: Walker, place: Place, name: string, bytes: Uint8Array | string, mode: number): void {
  const target = walker.at(place, name);
  if (lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw walker.refuse(join(place.path, name), 'the path is a link');
  }
  const staged = walker.at(place, temporaryName());
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(staged, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      writeFileSync(fd, bytes);
      fchmodSync(fd, mode);
    } finally {
      closeSync(fd);
    }
    renameSync(staged, target);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  }
}

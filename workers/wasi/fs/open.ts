import { closeSync, constants, openSync } from 'node:fs';
import { errnoOf, fail } from './errors.js';
import { type Guard, refuseProtected } from './guard.js';
import type { Dir, Tree } from './tree.js';
import { locate, type Place } from './walk.js';

/** `wasi:filesystem/types#open-flags`; a missing member is false. */
export interface OpenFlags {
  readonly create?: boolean;
  readonly directory?: boolean;
  readonly exclusive?: boolean;
  readonly truncate?: boolean;
}

/** `wasi:filesystem/types#descriptor-flags`; a missing member is false. */
export interface DescriptorFlags {
  readonly read?: boolean;
  readonly write?: boolean;
  readonly fileIntegritySync?: boolean;
  readonly dataIntegritySync?: boolean;
  readonly requestedWriteSync?: boolean;
  readonly mutateDirectory?: boolean;
}

type Opened = { readonly kind: 'directory'; readonly dir: Dir } | { readonly kind: 'file'; readonly fd: number };

/** `guard`: what of it may not be written. */
export type OpenedNode = Opened & { readonly guard: Guard | undefined };

export interface OpenWish {
  readonly path: string;
  readonly followLeaf: boolean;
  readonly open: OpenFlags;
  readonly flags: DescriptorFlags;
}

/** Rounds against a process that keeps swapping the last component between a link and something else. */
const mostRounds = 8;

/** Opens a directory or a regular file under `base`. Rights are the caller's to check first. */
export function openUnder(tree: Tree, base: Dir, wish: OpenWish): OpenedNode {
  if (wish.open.create === true && wish.open.directory === true) fail('invalid');
  const isNew = wish.open.create === true && wish.open.exclusive === true;
  // A new file takes its own name: a link that has it already is in the way, as O_EXCL says.
  const follow = !isNew && (wish.followLeaf || wish.path.endsWith('/'));
  for (let round = 0; round < mostRounds; round += 1) {
    const place = locate(tree, base, wish.path, follow);
    try {
      if (wish.flags.write === true || wish.open.create === true || wish.open.truncate === true) refuseProtected(place);
      const node = openPlace(tree, place, wish);
      if (node === 'link' && !follow) fail('loop');
      // Otherwise the place became a link, or came to exist, since the walk looked at it: look again.
      if (typeof node !== 'string') return { ...node, guard: place.guard };
    } finally {
      place.release();
    }
  }
  return fail('loop');
}

function openPlace(tree: Tree, place: Place, wish: OpenWish): Opened | 'link' | 'raced' {
  const { create, exclusive, truncate } = wish.open;
  if (create === true && exclusive === true) return createFile(place, wish);
  const mode = openMode(wish) | (truncate === true ? constants.O_TRUNC : 0);
  try {
    const found = tree.open(place.dir, place.leaf, mode);
    if (found.kind === 'link') return 'link';
    const wrong = refusal(found.kind, place, wish);
    if (wrong === undefined) return found;
    if (found.kind === 'file') closeSync(found.fd);
    else found.dir.close();
    return fail(wrong);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT' || create !== true) throw thrown;
  }
  try {
    return createFile(place, wish);
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return 'raced';
    throw thrown;
  }
}

function createFile(place: Place, wish: OpenWish): Opened {
  if (place.directoryOnly) fail('is-directory');
  // O_EXCL never follows a link and never opens what is there.
  const fd = openSync(place.path, openMode(wish) | constants.O_CREAT | constants.O_EXCL, 0o666);
  return { kind: 'file', fd };
}

function refusal(kind: 'directory' | 'file', place: Place, { open, flags }: OpenWish) {
  if (kind === 'directory') {
    const asFile = flags.write === true || open.truncate === true || open.create === true;
    return asFile ? 'is-directory' : undefined;
  }
  return open.directory === true || place.directoryOnly ? 'not-directory' : undefined;
}

function openMode({ open, flags }: OpenWish): number {
  const write = flags.write === true || open.truncate === true;
  const access = write ? (flags.read === true ? constants.O_RDWR : constants.O_WRONLY) : constants.O_RDONLY;
  const sync = flags.fileIntegritySync === true ? (constants.O_SYNC ?? 0) : 0;
  const dataSync = flags.dataIntegritySync === true ? (constants.O_DSYNC ?? 0) : 0;
  return access | sync | dataSync;
}

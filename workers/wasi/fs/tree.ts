/**
 * Directories as the walk holds them, in the two ways this project knows.
 *
 * `linuxTree` holds a descriptor per directory and names children as `/proc/self/fd/<n>/<name>`: the kernel resolves that from the
 * inode that was opened, so renaming or replacing a directory during the walk cannot move it. No step follows a link.
 *
 * `portableTree` is for systems without /proc/self/fd. It holds path text, checked with lstat step by step. Does not stop: a process
 * that swaps a directory for a link between the check and the use. Sessions there report the containment class `advisory`.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync } from 'node:fs';
import type { Preopen } from '../../protocol.js';
import { fail } from './errors.js';
import type { Guard } from './guard.js';

/** Same value on every Linux that Node runs on; Node does not export it. */
const O_PATH = 0o10000000;
const neverFollow = constants.O_NOFOLLOW ?? 0;
const neverBlock = constants.O_NONBLOCK ?? 0;

/** A directory held open (Linux) or named (elsewhere). Children are `<path>/<name>`. */
export interface Dir {
  readonly path: string;
  /** What of it may not be written. Absent: no such path is below it. */
  readonly guard?: Guard;
  close(): void;
}

/** What `Tree.open` found. A link was not followed. */
export type Opened =
  | { readonly kind: 'link' }
  | { readonly kind: 'directory'; readonly dir: Dir }
  | { readonly kind: 'file'; readonly fd: number };

export interface Tree {
  root(preopen: Preopen): Dir;
  /** The child directory `name`. Throws `ENOTDIR` when it is a link or a file. */
  enter(parent: Dir, name: string): Dir;
  /** Opens an existing child. Throws `not-permitted` for a FIFO, a socket or a device, without ever opening it for reading. */
  open(parent: Dir, name: string, flags: number): Opened;
  /** A second description of an open file with other flags; `undefined` where the system cannot. */
  reopen(fd: number, flags: number): number | undefined;
  /** True when link(2) of this system follows a link it is given, which would reach outside. */
  readonly hardLinkFollows: boolean;
}

function byDescriptor(fd: number): Dir {
  return { path: `/proc/self/fd/${fd}`, close: () => closeSync(fd) };
}

export const linuxTree: Tree = {
  // The preopen belongs to the session on the main thread: it is never closed here.
  root: ({ fd }) => ({ path: `/proc/self/fd/${fd}`, close: () => {} }),
  enter: (parent, name) =>
    byDescriptor(openSync(`${parent.path}/${name}`, O_PATH | constants.O_DIRECTORY | neverFollow)),
  open: (parent, name, flags) => {
    // O_PATH pins the inode without opening it, so a FIFO cannot block and a device cannot react. Only a file is opened for real.
    const pin = openSync(`${parent.path}/${name}`, O_PATH | neverFollow);
    let keep = false;
    try {
      const stat = fstatSync(pin);
      if (stat.isSymbolicLink()) return { kind: 'link' };
      if (stat.isDirectory()) {
        keep = true;
        return { kind: 'directory', dir: byDescriptor(pin) };
      }
      if (!stat.isFile()) fail('not-permitted');
      return { kind: 'file', fd: openSync(`/proc/self/fd/${pin}`, flags | neverBlock) };
    } finally {
      if (!keep) closeSync(pin);
    }
  },
  reopen: (fd, flags) => openSync(`/proc/self/fd/${fd}`, flags | neverBlock),
  hardLinkFollows: false,
};

export const portableTree: Tree = {
  root: ({ hostPath, guestPath }) => {
    if (hostPath === undefined) throw new Error(`preopen '${guestPath}' has no host path, which this system needs`);
    return { path: realpathSync(hostPath), close: () => {} };
  },
  enter: (parent, name) => {
    const path = `${parent.path}/${name}`;
    if (!lstatSync(path).isDirectory()) fail('not-directory');
    return { path, close: () => {} };
  },
  open: (parent, name, flags) => {
    const path = `${parent.path}/${name}`;
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return { kind: 'link' };
    if (stat.isDirectory()) return { kind: 'directory', dir: { path, close: () => {} } };
    if (!stat.isFile()) fail('not-permitted');
    const fd = openSync(path, flags | neverFollow | neverBlock);
    if (fstatSync(fd).isFile()) return { kind: 'file', fd };
    closeSync(fd);
    return fail('not-permitted');
  },
  reopen: () => undefined,
  hardLinkFollows: true,
};

/** The tree of this system. */
export const systemTree: Tree = process.platform === 'linux' ? linuxTree : portableTree;

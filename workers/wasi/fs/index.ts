/**
 * `wasi:filesystem` over directories the session opened. On Linux nothing a guest names is reached by a path that somebody else could
 * change meanwhile; elsewhere paths are checked and then used, which a concurrent swap can defeat (tree.ts).
 *
 * Not quotas (a guest may fill the disk it may write).
 * Read next: walk.ts (where a path leads), tree.ts (how a directory is held), descriptor.ts (rights), guard.ts (what is read-only).
 */
import type { Preopen } from '../../protocol.js';
import type { IoError } from '../io/error.js';
import type { Poller } from '../io/poll.js';
import { Descriptor, type FsContext } from './descriptor.js';
import { DirectoryEntryStream } from './directory.js';
import { guardOf } from './guard.js';
import { Held } from './held.js';
import { systemTree, type Tree } from './tree.js';

export interface FsHost {
  readonly imports: Record<string, Record<string, unknown>>;
  /** Closes everything the guest opened. Idempotent. */
  close(): void;
}

export function createFs(poller: Poller, preopens: readonly Preopen[], tree: Tree = systemTree): FsHost {
  const held = new Held();
  const context: FsContext = { tree, held, poller };
  const directories = preopens.map((preopen) => {
    const guard = guardOf(preopen.protect ?? []);
    return { preopen, dir: { ...tree.root(preopen), ...(guard === undefined ? {} : { guard }) } };
  });
  const descriptor = ({ preopen, dir }: (typeof directories)[number]): Descriptor => {
    const mutate = !preopen.readOnly;
    return new Descriptor(
      context,
      { kind: 'directory', dir },
      { read: true, write: false, mutate, readOnly: preopen.readOnly },
    );
  };
  return {
    imports: {
      'wasi:filesystem/preopens': {
        getDirectories: () => directories.map((each) => [descriptor(each), each.preopen.guestPath]),
      },
      'wasi:filesystem/types': {
        Descriptor,
        DirectoryEntryStream,
        filesystemErrorCode: (error: IoError) => error.filesystemCode,
      },
    },
    close: () => held.releaseAll(),
  };
}

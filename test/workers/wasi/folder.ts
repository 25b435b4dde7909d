/** A work folder beside an outside folder with a secret, and a WASI host whose guest sees the work folder. Not a test. */
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GuestBridge } from '../../../workers/protocol.js';
import type { Descriptor } from '../../../workers/wasi/fs/descriptor.js';
import { createFs } from '../../../workers/wasi/fs/index.js';
import type { DescriptorFlags, OpenFlags } from '../../../workers/wasi/fs/open.js';
import { linuxTree, type Tree } from '../../../workers/wasi/fs/tree.js';
import { createPoller } from '../../../workers/wasi/io/poll.js';

export const secret = 'outside-secret';

/** A guest without imports that main answers: asking is a bug of the test. */
export const deafBridge: GuestBridge = {
  call: (op) => {
    throw new Error(`unexpected ${op}`);
  },
  post: () => {},
};

export interface Folder extends Disposable {
  readonly work: string;
  readonly outside: string;
  /** The preopen `.`. */
  readonly root: Descriptor;
  open(path: string, open?: OpenFlags, flags?: DescriptorFlags, follow?: boolean): Descriptor;
  /** Text of a file through the guest. */
  read(path: string): string;
  /** The error code an operation throws, `undefined` when it succeeds. */
  codeOf(act: () => unknown): unknown;
  /** Closes what the guest opened. */
  close(): void;
}

export interface FolderAsked {
  readonly readOnly?: boolean;
  readonly protect?: readonly string[];
  readonly tree?: Tree;
  /** Before the guest sees it. */
  readonly prepare?: (work: string) => void;
}

export function openFolder({ readOnly = false, protect = [], tree = linuxTree, prepare }: FolderAsked = {}): Folder {
  const base = mkdtempSync(join(tmpdir(), 'mur-fs-'));
  const work = join(base, 'work');
  const outside = join(base, 'outside');
  mkdirSync(join(work, 'dir', 'sub'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(work, 'a.txt'), 'alpha');
  writeFileSync(join(work, 'dir', 'b.txt'), 'beta');
  writeFileSync(join(outside, 'secret.txt'), secret);
  prepare?.(work);
  const fd = openSync(work, constants.O_RDONLY | constants.O_DIRECTORY);
  const preopen = { fd, guestPath: '.', readOnly, protect, hostPath: work };
  const host = createFs(createPoller(deafBridge), [preopen], tree);
  const preopens = host.imports['wasi:filesystem/preopens'] as { getDirectories(): [Descriptor, string][] };
  const root = preopens.getDirectories()[0]![0];
  const open: Folder['open'] = (path, flags = {}, wanted = { read: true }, follow = true) =>
    root.openAt({ symlinkFollow: follow }, path, flags, wanted);
  return {
    work,
    outside,
    root,
    open,
    read: (path) => {
      const file = open(path);
      const [bytes] = file.read(1000n, 0n);
      file[Symbol.dispose]();
      return Buffer.from(bytes).toString();
    },
    codeOf: (act) => {
      try {
        act();
        return undefined;
      } catch (thrown) {
        return thrown;
      }
    },
    close: host.close,
    [Symbol.dispose]: () => {
      host.close();
      closeSync(fd);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Open descriptors of this process that point at or below `path`'s parent, for leak checks. */
export function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

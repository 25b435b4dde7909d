import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import type { HostFiles } from './mounts.js';

/** Opens a path without reading it. Same value on every Linux that Node runs on; Node does not export it. */
export const O_PATH = 0o10000000;

/** Where a path leads now, links followed; `undefined` when there is nothing. */
export function canonical(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** What a path of this machine is now, links followed; `undefined` when it is not there. Anything but a folder is a file to Landlock. */
export function kindOf(path: string): 'file' | 'directory' | undefined {
  const found = attempt(() => statSync(path, { throwIfNoEntry: false }));
  if (found === undefined) return undefined;
  return found.isDirectory() ? 'directory' : 'file';
}

/** The machine itself, for a mount plan. */
export const hostFiles: HostFiles = {
  kind: (path) => {
    const found = attempt(() => lstatSync(path, { throwIfNoEntry: false }));
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) return 'link';
    if (found.isDirectory()) return 'directory';
    return found.isFile() ? 'file' : 'other';
  },
  link: (path) => readlinkSync(path),
};

/** A path in a folder that may not be searched is not there, as far as a command of the same user could tell. */
function attempt(look: () => Stats | undefined): Stats | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

import { constants, openSync } from 'node:fs';
import { mkdir, open, readFile, realpath, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The files a scope is made of. Tests put a tree in its place that behaves like a kernel with delegation. */
export interface CgroupFiles {
  /** Text of a file; rejects with the errno's name as `code`. */
  read(path: string): Promise<string>;
  /** Writes to a file that exists, in one call. */
  write(path: string, text: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  /** A write-only descriptor of `cgroup.procs`, close-on-exec. */
  openProcs(path: string): number;
  /** The device number of the file system a path is on. */
  device(path: string): Promise<number>;
  /** `major:minor` of the disk that a partition is on; `undefined` for what is no partition. */
  diskOf(device: string): Promise<string | undefined>;
}

export const systemFiles: CgroupFiles = {
  read: (path) => readFile(path, 'latin1'),
  write: async (path, text) => {
    // Neither O_CREAT nor O_TRUNC: a missing control file must be an error and never an ordinary file.
    const file = await open(path, constants.O_WRONLY);
    try {
      await file.write(text);
    } finally {
      await file.close();
    }
  },
  mkdir: async (path) => {
    await mkdir(path);
  },
  rmdir,
  openProcs: (path) => openSync(path, constants.O_WRONLY),
  device: async (path) => (await stat(path)).dev,
  diskOf: async (device) => {
    try {
      const place = await realpath(join('/sys/dev/block', device));
      await stat(join(place, 'partition'));
      return (await readFile(join(place, '..', 'dev'), 'latin1')).trim();
    } catch {
      return undefined;
    }
  },
};

/** The name of the errno of a failed call, or its text. */
export function errnoOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

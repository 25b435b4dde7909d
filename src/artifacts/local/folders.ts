import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMurError } from '../../errors/index.js';
import { ioError } from '../../home/index.js';
import { isStoreFolder } from './set.js';

/** Another writer that failed may take an empty folder away from under this one as often as this. */
const maxTries = 20;

/**
 * Does `work` in `folders`, one inside the other, below `root`; makes those that are missing. A failure takes those that it made
 * away again, unless something lies in them by then.
 */
export function inFolders<Result>(root: string, folders: readonly string[], mode: number, work: () => Result): Result {
  for (let tries = 1; ; tries += 1) {
    const made: string[] = [];
    try {
      make(root, folders, mode, made);
      return work();
    } catch (error) {
      removeEmpty(made);
      // Whether the folder is what was missing shows when it is made again.
      if (tries === maxTries || !isMurError(error) || error.code !== 'E-IO-001') throw error;
    }
  }
}

function make(root: string, folders: readonly string[], mode: number, made: string[]): void {
  try {
    mkdirSync(root, { recursive: true, mode });
    folders.forEach((_, index) => {
      const path = join(root, ...folders.slice(0, index + 1));
      if (isStoreFolder(path)) return;
      if (mkdirSync(path, { recursive: true, mode }) !== undefined) made.push(path);
    });
  } catch (error) {
    throw ioError('cannot make the artifact store', root, error);
  }
}

function removeEmpty(made: readonly string[]): void {
  for (const path of [...made].reverse()) {
    try {
      rmdirSync(path);
    } catch {
      return;
    }
  }
}

import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

/**
 * Which files a bundle may hold: those in the given folders, and those of packages that something in it names. Links are followed
 * before a file is looked at.
 *
 * Does not stop: a package that holds, or is a link to, what should not leave this machine.
 */
export class Inside {
  readonly #folders: Set<string>;

  constructor(folders: readonly string[]) {
    this.#folders = new Set(folders.map((folder) => realpathSync(folder)));
  }

  /** Whether `file` may go in, which was imported as `id`. Names a package for good when `id` does. */
  admits(file: string, id: string): boolean {
    const real = realOf(file);
    if ([...this.#folders].some((folder) => isBelow(real, folder))) return true;
    if (!isPackageName(id)) return false;
    this.#folders.add(packageOf(real));
    return true;
  }
}

function isBelow(file: string, folder: string): boolean {
  const way = relative(folder, file);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** `lodash/map`, `@scope/name`; no path, no address, no `#` of a package's own imports. */
function isPackageName(id: string): boolean {
  return /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*(?:\/|$)/.test(id) && !id.split('/').includes('..');
}

function packageOf(file: string): string {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    // Beyond a folder of packages it would be that of a project.
    if (dirname(folder) === folder || /[\\/]node_modules(?:[\\/]@[^\\/]+)?$/.test(dirname(folder))) return folder;
  }
}

function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

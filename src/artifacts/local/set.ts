/**
 * The files of one stored artifact, `<stem>.mur.zip`, `.sha256` and `.meta.json`, as one thing that is replaced whole
 * (spec/artifacts.md section 6).
 *
 * Three files cannot be renamed at once, so a writer makes them in a folder of its own and renames that folder to
 * `.<stem>.replace`: from then on the new set counts. Then the files are moved to their places, and the folder is removed. Who
 * finds such a folder reads what is still in it before what is in place; who writes next first finishes the moves, so a killed
 * writer leaves the old set or the new one. `.<stem>.new` is the same for a set that must not replace another: it is read after
 * what is in place, and its files are linked there, which never overwrites.
 * Read next: write.ts, read.ts.
 */
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { MurError } from '../../errors/index.js';
import { ioError } from '../../home/index.js';
import { artifactFileStem } from '../file-name.js';

/** In the order they are moved: a set counts once its hash is there, and has all the rest by then. */
export const parts = ['.meta.json', '.mur.zip', '.sha256'] as const;
export type Part = (typeof parts)[number];
export type Mode = 'replace' | 'new';

/** Where a set lies. */
export interface SetPlace {
  readonly folder: string;
  readonly stem: string;
}

/** The folder of a version, as names below the store. Both must be valid: they become folder names. */
export function versionFolder(name: string, version: string): readonly string[] {
  return [...name.split('/'), version];
}

export function setPlace(root: string, name: string, version: string, platform?: string): SetPlace {
  return { folder: join(root, ...versionFolder(name, version)), stem: artifactFileStem(name, version, platform) };
}

export function partPath(place: SetPlace, part: Part): string {
  return join(place.folder, place.stem + part);
}

/** What a file system takes of one name. */
export const maxFileNameBytes = 255;

/** The longest name that any file or folder of a set of this stem has. */
export function longestFileName(stem: string): string {
  const names = [...parts.map((part) => stem + part), `.${stem}.replace`];
  return names.reduce((longest, name) => (name.length > longest.length ? name : longest));
}

/** Where a writer that is not done has its files. */
export function pendingPath(place: SetPlace, mode: Mode): string {
  return join(place.folder, `.${place.stem}.${mode}`);
}

/** What is at `path` itself; `undefined` when nothing is. Throws `MurError` when the system does not say. */
export function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw ioError('failed to read', path, error);
  }
}

/** Whether `path` is a folder; a link or anything else there is refused, because a store leads nowhere outside itself. */
export function isStoreFolder(path: string): boolean {
  const found = look(path);
  if (found === undefined) return false;
  if (found.isDirectory()) return true;
  const what = found.isSymbolicLink() ? 'a link' : 'no folder';
  throw new MurError('E-IO-003', `the artifact store cannot be used: ${path} is ${what}`, {
    hint: 'a store holds plain folders and files only; remove it, then install again',
  });
}

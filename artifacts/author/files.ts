/**
 * The work folder of the capsule, for a tool, and below `state/` its own store where the capsule gives it one. Reading and writing
 * block, so nothing here needs to be awaited.
 */
import preopens from 'wasj:filesystem/preopens@0.2.9';
import { joined } from '../lib/bytes.js';
import { Failure } from '../lib/failure.js';
import { Folder } from '../lib/folder.js';
import { normalize, parent } from '../lib/path.js';
import { encode } from '../lib/utf8.js';

interface Place {
  readonly root: Folder;
  /** Below it. */
  readonly target: string;
}

function placeOf(path: string): Place {
  const target = normalize(path);
  const [first, ...rest] = target.split('/');
  const lent = preopens.getDirectories();
  const store = first === 'state' ? lent.find(([, name]) => name === 'state') : undefined;
  if (store !== undefined) return { root: new Folder(store[0]), target: rest.join('/') || '.' };
  const work = lent.find(([, name]) => name === '.');
  if (work === undefined) throw new Failure('this capsule grants the tool no work folder');
  return { root: new Folder(work[0]), target };
}

export const files = {
  readText(path: string): string {
    const { root, target } = placeOf(path);
    return root.readText(target, Number.MAX_SAFE_INTEGER);
  },
  readBytes(path: string): Uint8Array {
    const { root, target } = placeOf(path);
    return joined(root.chunks(target));
  },
  writeText: (path: string, text: string): void => files.writeBytes(path, encode(text)),
  writeBytes(path: string, bytes: Uint8Array): void {
    const { root, target } = placeOf(path);
    root.makeFolder(parent(target));
    root.writeBytes(target, bytes);
  },
  list(path = '.'): { name: string; type: 'file' | 'folder' | 'other' }[] {
    const { root, target } = placeOf(path);
    return root.entries(target).entries.map(({ name, type }) => ({
      name,
      type: type === 'regular-file' ? 'file' : type === 'directory' ? 'folder' : 'other',
    }));
  },
  exists(path: string): boolean {
    const { root, target } = placeOf(path);
    return root.exists(target);
  },
  makeFolder(path: string): void {
    const { root, target } = placeOf(path);
    root.makeFolder(target);
  },
  remove(path: string): void {
    const { root, target } = placeOf(path);
    root.removeFile(target);
  },
};

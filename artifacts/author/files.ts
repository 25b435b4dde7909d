/** The work folder of the capsule, for a tool. Reading and writing block, so nothing here needs to be awaited. */
import preopens from 'wasj:filesystem/preopens@0.2.9';
import { joined } from '../lib/bytes.js';
import { Failure } from '../lib/failure.js';
import { Folder } from '../lib/folder.js';
import { normalize, parent } from '../lib/path.js';
import { encode } from '../lib/utf8.js';

function folder(): Folder {
  const found = preopens.getDirectories().find(([, name]) => name === '.');
  if (found === undefined) throw new Failure('this capsule grants the tool no work folder');
  return new Folder(found[0]);
}

function prepared(path: string): { target: string; root: Folder } {
  const [target, root] = [normalize(path), folder()];
  root.makeFolder(parent(target));
  return { target, root };
}

export const files = {
  readText: (path: string): string => folder().readText(normalize(path), Number.MAX_SAFE_INTEGER),
  readBytes: (path: string): Uint8Array => joined(folder().chunks(normalize(path))),
  writeText: (path: string, text: string): void => files.writeBytes(path, encode(text)),
  writeBytes(path: string, bytes: Uint8Array): void {
    const { target, root } = prepared(path);
    root.writeBytes(target, bytes);
  },
  list: (path = '.'): { name: string; type: 'file' | 'folder' | 'other' }[] =>
    folder()
      .entries(normalize(path))
      .entries.map(({ name, type }) => ({
        name,
        type: type === 'regular-file' ? 'file' : type === 'directory' ? 'folder' : 'other',
      })),
  exists: (path: string): boolean => folder().exists(normalize(path)),
  makeFolder: (path: string): void => folder().makeFolder(normalize(path)),
  remove: (path: string): void => folder().removeFile(normalize(path)),
};

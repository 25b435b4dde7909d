/** `write`: makes a text the whole content of a file; folders on the way are made. */

import { Failure } from '../../../lib/failure.js';
import type { Folder } from '../../../lib/folder.js';
import { parent } from '../../../lib/path.js';
import { byteLength } from '../../../lib/utf8.js';
import type { Input } from '../input.js';
import type { Outcome } from './outcome.js';

export function write(folder: Folder, input: Input): Outcome {
  const path = input.path();
  const content = input.storable('content');
  if (path === '.') throw new Failure('path names the work folder itself; name a file in it');
  const existed = folder.exists(path);
  if (existed && folder.stat(path).type === 'directory') throw new Failure(`${path} is a folder; name a file in it`);
  if (!existed) folder.makeFolder(parent(path));
  folder.writeText(path, content);
  return {
    summary: `${existed ? 'replaced' : 'created'} ${path} (${byteLength(content)} bytes)`,
    effect: 'mutate',
    path,
  };
}

/** `edit`: one exact, unique replacement in a file. */
import type { Folder } from '../../../lib/folder.js';
import type { Input } from '../input.js';
import type { Outcome } from './outcome.js';
import { replaceOnce } from './replace.js';

const mostBytes = 4 * 1024 * 1024;

export function edit(folder: Folder, input: Input): Outcome {
  const path = input.path();
  const oldText = input.text('old_text');
  const newText = input.storable('new_text');
  const { text, line } = replaceOnce(folder.readText(path, mostBytes), oldText, newText, path);
  folder.writeText(path, text);
  return { summary: `edited ${path} at line ${line}`, effect: 'mutate', path };
}

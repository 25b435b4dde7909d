/** `search`: lines that match, as `path:line: text`. Skips what is not text, too large, or bookkeeping of other tools. */

import { Failure } from '../../../lib/failure.js';
import { type Folder, unnamedNote } from '../../../lib/folder.js';
import { join } from '../../../lib/path.js';
import { cut } from '../../../lib/utf8.js';
import type { Input } from '../input.js';
import { matcher } from './matcher.js';
import type { Outcome } from './outcome.js';

const defaultMatches = 100;
const mostMatches = 1000;
const mostFiles = 5000;
const mostDepth = 32;
const mostFileBytes = 1024 * 1024;
const mostLine = 300;
const passedOver = new Set(['.git', 'node_modules']);

export function search(folder: Folder, input: Input): Outcome {
  const path = input.path('.');
  const pattern = input.text('pattern');
  const limit = input.number('limit', defaultMatches, mostMatches);
  const { mayMatch, matches } = matcher({ pattern, regex: input.flag('regex'), ignoreCase: input.flag('ignore_case') });

  const found: string[] = [];
  const notes = new Set<string>();
  let files = 0;
  let unreadable = 0;
  for (const file of walk(folder, path, notes)) {
    if (found.length > limit) break;
    if (++files > mostFiles) {
      notes.add(`stopped after ${mostFiles} files; search a folder inside`);
      break;
    }
    const text = readable(folder, file);
    if (text === undefined) unreadable++;
    if (text === undefined || !mayMatch(text)) continue;
    for (const [index, line] of text.split('\n').entries()) {
      if (matches(line.replace(/\r$/, ''))) found.push(`${file}:${index + 1}: ${cut(line.trimEnd(), mostLine)}`);
      if (found.length > limit) break;
    }
  }
  if (unreadable > 0) notes.add(`skipped ${unreadable} files that are not text of at most ${mostFileBytes} bytes`);
  const truncated = found.length > limit;
  if (truncated) notes.add(`only the first ${limit} matches are shown; narrow the pattern or the path`);

  const shown = found.slice(0, limit);
  const summary = shown.length === 0 ? `no line matches ${JSON.stringify(pattern)}` : `${shown.length} matches`;
  const lines = [...(shown.length === 0 ? [summary] : shown), ...[...notes].map((note) => `[${note}]`)];
  return { summary, data: lines.join('\n'), truncated, effect: 'read', path };
}

function* walk(folder: Folder, path: string, notes: Set<string>, level = 0): Generator<string> {
  if (level === 0 && folder.stat(path).type !== 'directory') {
    yield path;
    return;
  }
  const { entries, unnamed } = folder.entries(path);
  if (unnamed > 0) notes.add(`${unnamedNote(unnamed)} in ${path === '.' ? 'the work folder' : path}`);
  for (const { name, type } of entries) {
    const here = join(path, name);
    if (type === 'regular-file') yield here;
    if (type !== 'directory') continue;
    if (passedOver.has(name)) notes.add(`skipped ${here}/`);
    else if (level >= mostDepth) notes.add(`skipped folders below ${path}/: too deep`);
    else yield* walk(folder, here, notes, level + 1);
  }
}

/** The file's text, or nothing when it has none; a file that cannot be read does not end the search. */
function readable(folder: Folder, path: string): string | undefined {
  try {
    return folder.readText(path, mostFileBytes);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

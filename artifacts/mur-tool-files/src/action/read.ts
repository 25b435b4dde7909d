/** `read`: a run of lines of a text file, exactly as they are, so that edit can match them. */

import { Failure } from '../../../lib/failure.js';
import { type Folder, notText } from '../../../lib/folder.js';
import { Utf8Decoder } from '../../../lib/utf8.js';
import type { Input } from '../input.js';
import type { Outcome } from './outcome.js';
import { windowOf } from './window.js';

const defaultLines = 2000;
const mostBytes = 64 * 1024;

export function read(folder: Folder, input: Input): Outcome {
  const path = input.path();
  const offset = input.number('offset', 1, Number.MAX_SAFE_INTEGER);
  const lines = input.number('limit', defaultLines, Number.MAX_SAFE_INTEGER);
  const window = windowOf(decoded(folder, path), { offset, lines, bytes: mostBytes });

  if (window.shown === 0) {
    if (window.seen === 0) return { summary: `${path} is empty`, effect: 'read', path };
    throw new Failure(`${path} has only ${window.seen} lines; give an offset of at most ${window.seen}`);
  }
  const last = offset + window.shown - 1;
  const range = `lines ${offset}-${last}`;
  const note = window.cut
    ? `\n[line ${offset} is cut: it is longer than ${mostBytes} bytes]`
    : `\n[${range}; more follows, read on with offset ${last + 1}]`;
  return {
    summary: `${path}: ${range}`,
    data: window.more ? window.text.replace(/\n$/, '') + note : window.text,
    truncated: window.more,
    effect: 'read',
    path,
  };
}

function* decoded(folder: Folder, path: string): Generator<string> {
  const decoder = new Utf8Decoder();
  for (const bytes of folder.chunks(path)) {
    const text = decoder.push(bytes);
    if (decoder.malformed > 0) throw notText(path);
    yield text;
  }
  decoder.end();
  if (decoder.malformed > 0) throw notText(path);
}

/** `list`: what a folder holds, folders with a trailing slash, files with their size. */
import { Failure } from '../../../lib/failure.js';
import { type Folder, unnamedNote } from '../../../lib/folder.js';
import { join } from '../../../lib/path.js';
import type { Input } from '../input.js';
import type { Outcome } from './outcome.js';

const mostEntries = 500;
const mostDepth = 8;

export function list(folder: Folder, input: Input): Outcome {
  const path = input.path('.');
  const depth = input.number('depth', 1, mostDepth);
  if (folder.stat(path).type !== 'directory') throw new Failure(`${path} is a file; use action read to see its text`);

  const lines: string[] = [];
  let left = 0;
  let unnamed = 0;
  const visit = (at: string, level: number) => {
    const held = folder.entries(at);
    unnamed += held.unnamed;
    for (const { name, type } of held.entries) {
      const here = join(at, name);
      if (lines.length >= mostEntries) left++;
      else lines.push(`${here}${mark(type, () => folder.sizeOf(here))}`);
      if (type === 'directory' && level < depth && lines.length < mostEntries) visit(here, level + 1);
    }
  };
  visit(path, 1);

  const place = path === '.' ? 'the work folder' : path;
  if (lines.length + unnamed === 0) return { summary: `${place} is empty`, effect: 'read', path };
  const more = left > 0 ? [`[${left} more entries not shown; list a folder inside instead]`] : [];
  if (unnamed > 0) more.push(`[${unnamedNote(unnamed)}]`);
  return {
    summary: `${place}: ${lines.length + left} entries`,
    data: [...lines, ...more].join('\n'),
    truncated: left > 0,
    effect: 'read',
    path,
  };
}

function mark(type: string, size: () => number): string {
  if (type === 'directory') return '/';
  if (type === 'regular-file') return ` (${size()} bytes)`;
  return type === 'symbolic-link' ? ' (link)' : ' (special file)';
}

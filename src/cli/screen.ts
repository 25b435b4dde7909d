import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from './width.js';

/**
 * The bytes that replace the redrawn lines on screen by `lines`, for good, followed by `live`, to be redrawn.
 *
 * Every line is overwritten in place and only its rest is erased, so nothing flickers. `previous` is what was live before;
 * its height is counted in the present width, because a narrower window has wrapped it.
 */
export function repaint(
  previous: readonly string[],
  lines: readonly string[],
  live: readonly string[],
  columns: number,
): string {
  const height = previous.reduce((rows, line) => rows + rowsOf(line, columns), 0);
  const up = height > 1 ? `\x1b[${height - 1}A` : '';
  const home = height > 0 ? `\r${up}` : '';
  const lasting = lines.map((line) => `${line}\x1b[K\n`).join('');
  const redrawn = live.map((line) => `${line}\x1b[K`).join('\n');
  return `${home}${lasting}${redrawn}\x1b[J`;
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(displayWidth(stripVTControlCharacters(line)) / Math.max(1, columns)));
}

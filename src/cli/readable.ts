import { block } from './safe-text.js';
import { wrap } from './width.js';

/** Lines a break would spoil: code, tables, quotes of output. */
const preformatted = /^(\s{4}|\||\s*```)/;

/**
 * Untrusted text as lines for a terminal of `columns`: prose is broken between words, fenced and indented lines are left to
 * the terminal, so that they can be copied whole.
 */
export function readable(text: string, columns: number): string[] {
  let isFenced = false;
  return block(text)
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const isFence = line.trimStart().startsWith('```');
      if (isFence) isFenced = !isFenced;
      return isFence || isFenced || preformatted.test(line) ? [line] : wrap(line, columns);
    });
}

import { displayWidth } from '../../src/cli/width.js';

/**
 * What a terminal of `columns` shows after `bytes`: enough of one to judge the renderer. Throws for a sequence mur does not
 * mean to use.
 */
export function screenAfter(bytes: string, columns: number): string[] {
  const grid: string[][] = [[]];
  let x = 0;
  let y = 0;
  const lineAt = (row: number): string[] => {
    while (grid.length <= row) grid.push([]);
    return grid[row]!;
  };
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const token of bytes.split(/(\x1b\[[0-9;]*[A-Za-z]|[\r\n])/)) {
    const sequence = /^\x1b\[([0-9;]*)([A-Za-z])$/.exec(token);
    if (sequence !== null) {
      const [, number, verb] = sequence;
      if (verb === 'A') y = Math.max(0, y - Number(number || 1));
      else if (verb === 'K' || verb === 'J') {
        lineAt(y).splice(x);
        if (verb === 'J') grid.splice(y + 1);
      } else if (verb !== 'm') throw new Error(`unexpected sequence ${JSON.stringify(token)}`);
      continue;
    }
    if (token === '\r') x = 0;
    else if (token === '\n') {
      x = 0;
      lineAt(++y);
    } else {
      if (/[\x00-\x1f]/.test(token)) throw new Error(`unexpected control in ${JSON.stringify(token)}`);
      for (const { segment } of segments.segment(token)) {
        const width = displayWidth(segment);
        if (x + width > columns) {
          x = 0;
          y += 1;
        }
        const line = lineAt(y);
        while (line.length < x) line.push(' ');
        line[x] = segment;
        if (width === 2) line[x + 1] = '';
        x += width;
      }
    }
  }
  return grid.map((line) => line.join('').trimEnd());
}

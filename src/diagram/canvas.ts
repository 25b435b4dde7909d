/** Text of a drawing before it has colours: lines of cells that can be measured, cut and put into boxes. */

/** How parts of a drawing look. */
export interface Paint {
  readonly title: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly active: (text: string) => string;
  readonly hot: (text: string) => string;
}

export interface Cell {
  readonly text: string;
  readonly paint?: keyof Paint;
}

export type Line = readonly Cell[];

/** A box with less room inside is not drawn; its lines are indented instead. */
const leastInside = 14;

export interface Box {
  readonly columns: number;
  readonly title: Line;
  /** Said at the right end of the upper border. */
  readonly note?: string;
  readonly isActive: boolean;
  readonly isDashed: boolean;
  readonly lines: readonly Line[];
}

export function box({ columns, title, note, isActive, isDashed, lines }: Box): Line[] {
  if (columns - 4 < leastInside) {
    return [cut(title, columns), ...lines.map((line) => cut([{ text: ' ' }, ...line], columns))];
  }
  const paint = isActive ? 'active' : 'dim';
  const [side, across] = isDashed ? ['┆', '┄'] : ['│', '─'];
  const border = (text: string): Cell => ({ text, paint });
  const shown = cut(title, columns - 6);
  const room = columns - 6 - columnsOf(shown);
  const aside = note !== undefined && note.length + 3 <= room ? note : '';
  const rest = room - (aside === '' ? 0 : aside.length + 3);
  return [
    [
      border(`╭${across} `),
      ...shown,
      border(` ${across.repeat(Math.max(0, rest))}`),
      ...(aside === '' ? [] : [{ text: ` ${aside} `, paint: 'dim' as const }, border(across)]),
      border(`${across}╮`),
    ],
    ...lines.map((line) => [border(`${side} `), ...fill(cut(line, columns - 4), columns - 4), border(` ${side}`)]),
    [border(`╰${across.repeat(columns - 2)}╯`)],
  ];
}

/** Short pieces beside each other, as many per line as fit. */
export function flow(pieces: readonly Line[], columns: number): Line[] {
  const lines: Cell[][] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && columnsOf(last) + 3 + columnsOf(piece) <= columns) last.push({ text: '   ' }, ...piece);
    else lines.push([...piece]);
  }
  return lines;
}

/** The lines of a sentence, broken between words. */
export function wrapped(sentence: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Columns of a line. What is drawn is names of charts and signs, one column each. */
export function columnsOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + [...text].length, 0);
}

export function cut(line: Line, columns: number): Line {
  if (columnsOf(line) <= columns) return line;
  const cells: Cell[] = [];
  let left = columns - 1;
  for (const cell of line) {
    const characters = [...cell.text];
    cells.push({ ...cell, text: characters.slice(0, Math.max(0, left)).join('') });
    left -= characters.length;
    if (left <= 0) break;
  }
  return columns < 1 ? [] : [...cells, { text: '…', paint: 'dim' }];
}

export function textOf(line: Line, paint: Paint, isAscii: boolean): string {
  const text = line
    .map(({ text: plain, paint: how }) => {
      const shown = isAscii ? asAscii(plain) : plain;
      return how === undefined || shown.trim() === '' ? shown : paint[how](shown);
    })
    .join('');
  return text.trimEnd();
}

function fill(line: Line, columns: number): Line {
  return [...line, { text: ' '.repeat(Math.max(0, columns - columnsOf(line))) }];
}

const ascii: Readonly<Record<string, string>> = {
  ...{ '╭': '+', '╮': '+', '╰': '+', '╯': '+', '─': '-', '│': '|', '┄': '.', '┆': ':' },
  ...{ '├': '|', '└': '`', '↻': '~', '→': '>', '●': '*', '○': 'o', '◎': '@', '∥': '=' },
  ...{ '✓': '+', '✗': 'x', '·': '-', '…': '~' },
};

function asAscii(text: string): string {
  return [...text].map((character) => ascii[character] ?? character).join('');
}

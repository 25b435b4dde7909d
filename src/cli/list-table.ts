import type { Style } from './style.js';
import { displayWidth, pad } from './width.js';

/** Cells without control characters; each row has as many as there are titles. */
export interface Table {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The table as lines: columns as wide as their widest cell, two spaces apart, nothing after the last cell. */
export function tableText({ titles, rows }: Table, style: Style): string {
  const widths = titles.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column]!)].map(displayWidth)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => pad(cell, widths[column]!))
      .join('  ')
      .trimEnd();
  return [style.dim(line(titles)), ...rows.map(line)].map((text) => `${text}\n`).join('');
}

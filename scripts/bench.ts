/**
 * Runs the benchmarks of test/bench and prints one table. `npm run bench -- supervisor` runs the ones whose name contains a word.
 */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Row } from '../test/bench/row.js';

const folder = new URL('../test/bench/', import.meta.url);
const words = process.argv.slice(2);
const table: string[][] = [['benchmark', 'measured', 'value', 'unit', 'x baseline', 'note']];

for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
  const name = basename(file, '.js');
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
  const module: { run?: () => Promise<Row[]> } = await import(new URL(file, folder).href);
  if (module.run === undefined) continue;
  process.stderr.write(`running ${name} ...\n`);
  for (const row of await module.run()) {
    const ratio = row.ratio === undefined ? '' : row.ratio.toFixed(2);
    table.push([name, row.name, short(row.value), row.unit, ratio, row.note ?? '']);
  }
}

const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)));
for (const line of table) {
  const cells = line.map((cell, column) =>
    column === 2 || column === 4 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
  );
  process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
}

/** Three significant digits, thousands grouped. */
function short(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return Number(value.toPrecision(3)).toString();
}

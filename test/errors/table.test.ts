import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { errorTable, warningTable } from '../../src/errors/index.js';

const root = resolve(import.meta.dirname, '../..');
const tables = ['src/errors/table.ts', 'src/errors/warnings.ts'];

/** Every code written between quotes in the sources, the tables themselves left out. */
function codesInSources(): ReadonlySet<string> {
  const files = ['src', 'machines', 'workers'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const texts = files
    .filter((name) => name.endsWith('.ts') && !tables.includes(name))
    .map((name) => readFileSync(join(root, name), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(/'([EW]-[A-Z]+-\d{3})'/g)].map(([, code]) => code!)));
}

test('every code that is raised or printed has a row', () => {
  const known = new Set([...Object.keys(errorTable), ...Object.keys(warningTable)]);
  expect([...codesInSources()].filter((code) => !known.has(code))).toEqual([]);
});

test('every warning of the table is printed somewhere, and says what to do about it', () => {
  const used = codesInSources();
  expect(Object.keys(warningTable).filter((code) => !used.has(code))).toEqual([]);
  for (const { when, hint } of Object.values(warningTable)) expect([when, hint]).not.toContain('');
});

test.each(Object.entries({ 'table.ts': errorTable, 'warnings.ts': warningTable }))(
  'the rows of %s are sorted within their family, so that a code is found by eye',
  (_, table) => {
    const codes = Object.keys(table);
    const families = [...new Set(codes.map((code) => code.slice(0, 5)))];
    expect(codes).toEqual(families.flatMap((family) => codes.filter((code) => code.startsWith(family)).sort()));
  },
);

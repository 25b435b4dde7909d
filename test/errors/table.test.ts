import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorTable, warningTable } from '../../src/errors/index.js';

const root = resolve(import.meta.dirname, '../..');
const rows = { ...errorTable, ...warningTable };
const codes = Object.keys(rows) as (keyof typeof rows)[];
/** Files that list codes without raising them. */
const lists = [
  'src/errors/table.ts',
  'src/errors/warnings.ts',
  'src/reference/messages.ts',
  'test/errors/table.test.ts',
];

/** Every code between quotes in the TypeScript files of `folders`. */
function codesIn(folders: readonly string[], pattern: RegExp): ReadonlySet<string> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const texts = files
    .filter((name) => name.endsWith('.ts') && !lists.includes(name) && !name.startsWith('src/reference/notes/'))
    .map((name) => readFileSync(join(root, name), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, code]) => code!)));
}

const raised = codesIn(['src', 'machines', 'workers'], /'([EW]-[A-Z]+-\d{3})'/g);
const tested = codesIn(['test'], /\b([EW]-[A-Z]+-\d{3})\b/g);
const waits = (code: keyof typeof rows) => rows[code].waitsFor !== undefined;

describe('the table of codes', () => {
  test('has a row for every code that is raised or printed', () => {
    expect([...raised].filter((code) => !Object.hasOwn(rows, code))).toEqual([]);
  });

  test('holds no code that is raised nowhere, unless it names the feature it waits for', () => {
    expect(codes.filter((code) => !waits(code) && !raised.has(code))).toEqual([]);
  });

  test('takes the mark off a code once it is raised', () => {
    expect(codes.filter((code) => waits(code) && raised.has(code))).toEqual([]);
  });

  test('holds no code that can be raised and that no test names', () => {
    expect(codes.filter((code) => !waits(code) && !tested.has(code))).toEqual([]);
  });

  test('never gives a retired or unassigned code a meaning again', () => {
    const gone = ['W-SEC-020', 'W-SEC-026', 'E-RUN-031', 'E-DEPLOY-002', 'E-DEPLOY-005', 'W-RUN-005', 'W-RUN-006'];
    const unknown = ['E-RUN-050', 'E-RUN-051', 'E-RUN-053', 'E-RUN-054'];
    expect([...gone, ...unknown].filter((code) => Object.hasOwn(rows, code) || raised.has(code))).toEqual([]);
  });

  test('says of each when it is raised, and of each warning what to do', () => {
    for (const [code, { when }] of Object.entries(rows)) expect(when, code).toMatch(/^\S.*[^.]$/);
    for (const [code, { hint }] of Object.entries(warningTable)) expect(hint, code).toMatch(/^\S.*[^.]$/);
  });

  test.each(Object.entries({ 'table.ts': errorTable, 'warnings.ts': warningTable }))(
    'is sorted within each family in %s, so that a code is found by eye',
    (_, table) => {
      const listed = Object.keys(table);
      const families = [...new Set(listed.map((code) => code.slice(0, 5)))];
      expect(listed).toEqual(families.flatMap((family) => listed.filter((code) => code.startsWith(family)).sort()));
    },
  );
});

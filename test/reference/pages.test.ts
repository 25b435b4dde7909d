import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorTable, warningTable } from '../../src/errors/index.js';
import { errorsPage, keysPage } from '../../src/reference/index.js';
import { keysOf, noteOf } from '../../src/reference/keys.js';
import { messages } from '../../src/reference/messages.js';
import { schemaNames } from '../../src/reference/names.js';
import { schemas } from '../../src/reference/schemas.js';

const stored = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const codes = Object.keys({ ...errorTable, ...warningTable }).sort();

describe('the generated pages', () => {
  test('are as npm run reference makes them', () => {
    expect(stored('src/manifest/reference.md')).toBe(keysPage());
    expect(stored('src/errors/reference.md')).toBe(errorsPage());
  });

  test('show every code under an anchor that is the code in lower case', () => {
    const headings = [...errorsPage().matchAll(/^### (\S+)$/gm)].map(([, code]) => code!);
    expect(headings.sort()).toEqual(codes);
  });

  test('say of every code what it says', () => {
    expect(Object.keys(messages).sort()).toEqual(codes);
  });
});

describe.each(schemaNames)('the keys of the %s', (name) => {
  const file = schemas[name];
  const keys = keysOf(file.shape).map(({ path }) => path);

  test('all have a note, and there is no note of a key that does not exist', () => {
    expect(keys.filter((path) => noteOf(file, path) === undefined)).toEqual([]);
    expect(Object.keys(file.notes).filter((path) => !keys.includes(path))).toEqual([]);
    expect(Object.keys(file.elements).filter((path) => !keys.includes(path))).toEqual([]);
  });

  test('name only codes that exist', () => {
    const named = Object.values(file.notes).flatMap(({ code, about, rules }) => [
      ...`${code} ${about} ${rules}`.matchAll(/[EW]-[A-Z]+-\d+/g),
    ]);
    expect(named.map(([code]) => code).filter((code) => !codes.includes(code))).toEqual([]);
  });

  test('are described in one line each, ended by a stop', () => {
    for (const [path, { about }] of Object.entries(file.notes)) expect(about, path).toMatch(/^[^\n]{3,160}\.$/);
  });
});

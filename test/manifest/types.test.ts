import { describe, expect, test } from 'vitest';
import { manifestShape } from '../../src/manifest/parse.js';
import { isRelease, partsOf, type z } from '../../src/manifest/shape.js';
import { keysOf } from '../../src/reference/keys.js';
import { refusal, verdict } from './support.js';

/** A document with `value` at a path like `artifacts[].name`, in block style so that each key has a line. */
function documentWith(path: string, value: unknown): string {
  const steps = path.split(/\.|(?=\[\])/);
  const inner = steps.reduceRight<unknown>((below, step) => {
    if (step === '[]') return [below];
    return step === '*' ? { a: below } : { [step]: below };
  }, value);
  return JSON.stringify({ name: 'cap', version: '1', ...(inner as object) });
}

/** The path as messages write it. */
const written = (path: string) => path.replaceAll('[]', '[0]').replaceAll('*', 'a');

const keys = keysOf(manifestShape).filter(({ schema }) => kindOfSchema(schema) !== 'unknown');

function kindOfSchema(schema: z.core.$ZodType): string {
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType };
  return def.innerType === undefined ? def.type : kindOfSchema(def.innerType);
}

/** Values of other YAML types than a kind takes. */
const strangers: Readonly<Record<string, readonly unknown[]>> = {
  string: [5, true, [], {}],
  boolean: ['yes', 1, [], {}],
  int: ['5', 1.5, true, [], {}],
  number: ['5', true, [], {}],
  enum: ['no-such-word', 5, true, [], {}],
  union: [[], {}],
  array: ['a', 5, true, null, {}],
  object: ['a', 5, true, []],
  record: ['a', 5, true, []],
};

function strangersOf(schema: z.core.$ZodType): readonly unknown[] {
  const { innerType, format } = schema._zod.def as { innerType?: z.core.$ZodType; format?: string };
  if (innerType !== undefined) return strangersOf(innerType);
  const kind = kindOfSchema(schema);
  return strangers[kind === 'number' && format === 'safeint' ? 'int' : kind]!;
}

describe('every key of a manifest', () => {
  test('is one of the kinds that these tests know', () => {
    expect(keys.length).toBeGreaterThan(200);
    for (const { path, schema } of keys) expect(strangersOf(schema), path).toBeDefined();
  });

  test.each(keys.map(({ path, schema }) => [path, schema] as const))(
    '%s refuses a value of another YAML type: E-MAN-002 with its place',
    (path, schema) => {
      for (const value of strangersOf(schema)) {
        if (isRelease(schema) && typeof value === 'number') continue;
        const error = refusal(documentWith(path, value));
        expect(error.code, `${path}: ${JSON.stringify(value)}`).toBe('E-MAN-002');
        expect(error.details).toMatchObject({ field: written(path), line: 1, column: expect.any(Number) });
        expect(error.message).toContain(`${written(path)}: `);
      }
    },
  );

  const integers = keys.filter(({ schema }) => strangersOf(schema) === strangers.int);
  test.each(integers.map(({ path }) => path))('%s refuses an integer that no number holds: E-MAN-003', (path) => {
    const document = documentWith(path, 'X').replace('"X"', '9007199254740993');
    expect(verdict(document)).toMatch(/[\w\]]'?: 9007199254740993 is beyond 9007199254740991 \(line 1, column \d+\)$/);
    const { code, details } = refusal(document);
    expect([code, details?.field]).toEqual(['E-MAN-003', written(path)]);
  });

  test.each(keys.filter(({ schema }) => strangersOf(schema) === strangers.string).map(({ path }) => path))(
    '%s refuses that integer as what it is to it, a number: E-MAN-002',
    (path) => {
      if (keys.some((key) => key.path === path && isRelease(key.schema))) return;
      const document = documentWith(path, 'X').replace('"X"', '9007199254740993');
      expect(verdict(document)).toMatch(/^E-MAN-002 .*: expected string, got number$/);
    },
  );
});

test('a list of texts names the element that is none', () => {
  const lists = keys.filter(({ schema }) => {
    const { element } = partsOf(schema);
    return element !== undefined && kindOfSchema(element) === 'string';
  });
  expect(lists.length).toBeGreaterThan(15);
  for (const { path } of lists) {
    const error = refusal(documentWith(path, ['a', 7]));
    expect([error.code, error.details?.field]).toEqual(['E-MAN-002', `${written(path)}[1]`]);
  }
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNestedTooDeep, maxJsonLevels } from '../../src/text/index.js';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('takes what nests as deep as the limit, and no deeper', () => {
  expect(isNestedTooDeep(nested(maxJsonLevels))).toBe(false);
  expect(isNestedTooDeep(nested(maxJsonLevels + 1))).toBe(true);
});

test('judges what the serialiser cannot write', () => {
  const value = nested(1_000_000);
  expect(() => JSON.stringify(value)).toThrow(RangeError);
  expect(isNestedTooDeep(value)).toBe(true);
});

test('counts levels, however many values are beside each other', () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => !isNestedTooDeep(value)));
});

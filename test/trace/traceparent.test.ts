import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTraceparent, newTraceparent } from '../../src/trace/index.js';

test('what a task presents is a W3C trace context, and another one for each task', () => {
  const made = Array.from({ length: 1000 }, newTraceparent);
  expect(made.every(isTraceparent)).toBe(true);
  expect(new Set(made.map((text) => text.split('-')[1])).size).toBe(1000);
  expect(made[0]).toMatch(/-01$/);
});

const [trace, span] = ['ab'.repeat(16), 'cd'.repeat(8)];

test.each([
  ['nothing', ''],
  ['another version', `01-${trace}-${span}-01`],
  ['upper case', `00-${trace.toUpperCase()}-${span}-01`],
  ['short ids', '00-ab-cd-01'],
  ['no flags', `00-${trace}-${span}`],
  ['more fields', `00-${trace}-${span}-01-more`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${span}-01`],
  ['a span of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
  ['a line end', `00-${trace}-${span}-01\n`],
])('%s is none', (_what, text) => {
  expect(isTraceparent(text)).toBe(false);
});

test('one is read whatever its ids and flags are, and no text beside them', () => {
  const hex = (length: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
  fc.assert(
    fc.property(hex(31), hex(15), hex(2), fc.string({ minLength: 1 }), (a, b, flags, more) => {
      const text = `00-1${a}-1${b}-${flags}`;
      expect(isTraceparent(text)).toBe(true);
      expect(isTraceparent(text + more) || isTraceparent(more + text)).toBe(false);
    }),
  );
});

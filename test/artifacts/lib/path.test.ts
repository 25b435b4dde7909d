import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalize } from '../../../artifacts/lib/path.js';

test.each([
  ['a/b.txt', 'a/b.txt'],
  ['./a//b/', 'a/b'],
  ['a/../b', 'b'],
  ['.', '.'],
  ['', '.'],
  ['a/..', '.'],
  ['...', '...'],
])('%s names %s', (path, expected) => {
  expect(normalize(path)).toBe(expected);
});

test.each(['..', 'a/../../b', '/etc/passwd', 'C:\\x', 'c:/x', 'a\0b'])('%j is refused', (path) => {
  expect(() => normalize(path)).toThrow();
});

test('no path leads above the work folder: what is accepted has no empty, dot or dot-dot part', () => {
  const part = fc.constantFrom('..', '.', '', 'a', 'b', '...', ' ', '\\');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      let depth = 0;
      let rises = parts.length > 1 && parts[0] === '';
      for (const name of parts) {
        if (name === '..') depth--;
        else if (name !== '' && name !== '.') depth++;
        if (depth < 0) rises = true;
      }
      const path = parts.join('/');
      if (rises) {
        expect(() => normalize(path)).toThrow();
        return;
      }
      const result = normalize(path);
      if (result !== '.') for (const name of result.split('/')) expect(['', '.', '..']).not.toContain(name);
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replaceOnce } from '../../../artifacts/mur-tool-files/src/action/replace.js';

test('replaces the one occurrence and says on which line it began', () => {
  expect(replaceOnce('one\ntwo\nthree\n', 'two\nthree', '2', 'f')).toEqual({ text: 'one\n2\n', line: 2 });
});

test('takes the new text literally', () => {
  expect(replaceOnce('a$b', '$', '$&$1', 'f').text).toBe('a$&$1b');
});

test.each([
  ['aXbX', 'X', 'old_text occurs 2 times in f (lines 1, 1)'],
  ['aaa', 'aa', 'occurs 2 times'],
  ['abc', 'x', 'does not occur in f; read the file'],
  ['a\r\nb', 'a\nb', 'end in \\r\\n'],
  ['a  b', 'a b', 'differs only in blanks'],
  ['abc', '', 'old_text is empty'],
  ['abc', 'new', 'are the same'],
])('refuses %j / %j with a way out', (text, oldText, message) => {
  expect(() => replaceOnce(text, oldText, 'new', 'f')).toThrow(message);
});

test('changes nothing around the place', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (before, after, replacement) => {
      fc.pre(!`${before}${after}`.includes('\u0001') && replacement !== '\u0001');
      expect(replaceOnce(`${before}\u0001${after}`, '\u0001', replacement, 'f').text).toBe(
        before + replacement + after,
      );
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitWords } from '../../src/shell/index.js';

describe('word splitting (spec/shell.md 3.1)', () => {
  test.each([
    ['-s "a b" c\\ d', ['-s', 'a b', 'c d']],
    [`'x"y'`, ['x"y']],
    [`a''b`, ['ab']],
    ['  ', []],
    [`'' ""`, []],
    ['a > b', ['a', '>', 'b']],
    ['$HOME *.ts `id`', ['$HOME', '*.ts', '`id`']],
    [`'it\\'s' ok`, ["it's", 'ok']],
    ['"never closed a', ['never closed a']],
    ['a\tb\nc', ['a', 'b', 'c']],
    ['ends\\', ['ends\\']],
    ['\\ ', [' ']],
  ])('%j', (line, words) => expect(splitWords(line)).toEqual(words));

  test('any words come back when their special characters are escaped', () => {
    const word = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const line = words.map((each) => [...each].map((character) => `\\${character}`).join('')).join(' ');
        expect(splitWords(line)).toEqual(words);
      }),
    );
  });

  test('no word is empty, and nothing is invented', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', "'", '"', '\\', '\n') }), (line) => {
        const words = splitWords(line);
        expect(words.every((word) => word !== '')).toBe(true);
        expect(words.join('').length).toBeLessThanOrEqual(line.length);
      }),
    );
  });
});

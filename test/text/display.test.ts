import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeForTerminal } from '../../src/text/display.js';

const tricky = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom(
      '\x1b',
      '\x1b[',
      '31m',
      '\x9b',
      '\r',
      '\n',
      '\u202e',
      '\u2066',
      '\ud800',
      '\x1b[1m',
      '\x1b]0;t\x07',
      '\u{e0041}',
    ),
  ),
  { maxLength: 20 },
);

test('no text of any kind leaves a control, an escape, a reordering or a hidden character', () => {
  fc.assert(
    fc.property(tricky, (pieces) => {
      const safe = safeForTerminal(pieces.join(''));
      expect(safe).not.toMatch(/[^\P{Cc}\n\t]/u);
      expect(safe).not.toMatch(/[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u);
      expect(safe).not.toMatch(/\p{Cs}/u);
      expect(safeForTerminal(safe)).toBe(safe);
    }),
    { numRuns: 1000 },
  );
});

test('plain text, tabs, line feeds, accents and joined emoji stay as they are', () => {
  const text = 'one\ttwo\nnaïve 世界 👩‍👩‍👧 नमस्ते';
  expect(safeForTerminal(text)).toBe(text);
});

test.each([
  ['\x1b[31mred\x1b[0m', 'red'],
  ['\x1b]0;title\x07', '␛]0;title␇'],
  ['\x1b[2J', '␛[2J'],
  ['\x1b\x1b[0m[0m', ''],
  ['a\r\nb\rc', 'a\nb␍c'],
  ['\x9b31m', '<U+009B>31m'],
  ['\x7f', '␡'],
  ['user\u202egpj.exe', 'user<U+202E>gpj.exe'],
  ['a\ud800', 'a\ufffd'],
])('%j is shown as %j', (text, shown) => {
  expect(safeForTerminal(text)).toBe(shown);
});

test('sequences nested in one another take no longer than others: a tool may write a megabyte of them', () => {
  const nested = `${'\x1b['.repeat(200_000)}31m${'m'.repeat(200_000)}`;
  const started = performance.now();
  const safe = safeForTerminal(nested);
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(safe).not.toContain('\x1b');
  expect(safe).toContain('\u241b[');
});

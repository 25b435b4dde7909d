import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prefix, windowOf } from '../../../artifacts/mur-tool-files/src/action/window.js';

const text = fc
  .array(fc.constantFrom('a', 'é', '😀', '\n', '\r\n', 'long line '), { maxLength: 40 })
  .map((parts) => parts.join(''));
const all = { offset: 1, lines: 1000, bytes: 10_000 };

/** Cuts `text` into pieces at any code point. */
function pieces(text: string, size: number): string[] {
  const characters = [...text];
  const out: string[] = [];
  for (let at = 0; at < characters.length; at += size) out.push(characters.slice(at, at + size).join(''));
  return out;
}

test('an open window gives the whole text, however it is cut, and its number of lines', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 7 }), (text, size) => {
      const window = windowOf(pieces(text, size), all);
      const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
      expect(window).toEqual({ text, shown: lines, more: false, cut: false, seen: lines });
    }),
  );
});

test('reading on with the next offset gives every line once', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 12, max: 40 }), (text, lines, bytes) => {
      fc.pre(text.split('\n').every((line) => Buffer.byteLength(line) < bytes));
      let joined = '';
      for (let offset = 1, more = true; more; ) {
        const window = windowOf(pieces(text, 3), { offset, lines, bytes });
        joined += window.text;
        offset += window.shown;
        more = window.more;
      }
      expect(joined).toBe(text);
    }),
  );
});

test('a line longer than the byte limit is cut on a character and marked', () => {
  expect(windowOf(['ab😀😀', '😀\nnext\n'], { offset: 1, lines: 10, bytes: 7 })).toMatchObject({
    text: 'ab😀',
    more: true,
    cut: true,
  });
});

test('a window behind the end is empty and tells how many lines there are', () => {
  expect(windowOf(['a\nb\n'], { offset: 9, lines: 1, bytes: 9 })).toMatchObject({ shown: 0, seen: 2, more: false });
});

test('stops reading when the window is full', () => {
  function* endless() {
    for (let line = 1; ; line++) yield `${line}\n`;
  }
  expect(windowOf(endless(), { offset: 3, lines: 2, bytes: 100 })).toMatchObject({ text: '3\n4\n', more: true });
});

test('E60: a byte-limited prefix is exact and well formed for every size', () => {
  const sample = 'a😀é'.repeat(6);
  for (let size = 0; size <= 40; size++) {
    const bytes = Buffer.from(prefix(sample, size));
    expect(Buffer.from(sample).subarray(0, bytes.length)).toEqual(bytes);
    expect(bytes.length).toBeLessThanOrEqual(size);
    expect(bytes.length).toBeGreaterThan(Math.min(size, Buffer.byteLength(sample)) - 4);
  }
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWellFormed, toWellFormed, truncateUtf8, truncateUtf8Bytes } from '../../src/text/truncate.js';

const anyText = fc.string({ unit: 'binary', maxLength: 60 });
/** Also text with lone surrogates, as a broken producer makes it. */
const brokenText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));
const isUtf8 = (bytes: Uint8Array): boolean => Buffer.from(Buffer.from(bytes).toString()).equals(bytes);

describe('60: cutting text', () => {
  test('at every size from 0 to 40 over four-byte characters gives a well-formed, byte-exact prefix', () => {
    const text = 'a😀é𝄞世界😀😀x😀';
    const whole = Buffer.from(text);
    for (let size = 0; size <= 40; size += 1) {
      const cut = truncateUtf8(text, size);
      const bytes = Buffer.from(cut);
      expect(isWellFormed(cut)).toBe(true);
      expect(bytes.length).toBeLessThanOrEqual(size);
      expect(bytes.length).toBeGreaterThan(Math.min(size, whole.length) - 4);
      expect(whole.subarray(0, bytes.length).equals(bytes)).toBe(true);
    }
  });

  test.each([
    ['well-formed', anyText],
    ['broken', brokenText],
  ])('gives the longest prefix that fits, for %s text of any kind', (_, texts) => {
    fc.assert(
      fc.property(texts, fc.nat({ max: 200 }), (text, size) => {
        const whole = Buffer.from(text);
        const bytes = Buffer.from(truncateUtf8(text, size));
        expect(isWellFormed(truncateUtf8(text, size))).toBe(true);
        expect(whole.subarray(0, bytes.length).equals(bytes)).toBe(true);
        expect(bytes.length).toBeLessThanOrEqual(size);
        const next = [...whole.toString()][[...bytes.toString()].length];
        if (next !== undefined) expect(bytes.length + Buffer.byteLength(next)).toBeGreaterThan(size);
      }),
    );
  });

  test('leaves text that fits as it is, and gives nothing for a limit below one character', () => {
    expect(truncateUtf8('héllo', 6)).toBe('héllo');
    expect(truncateUtf8('😀', 3)).toBe('');
    expect(truncateUtf8('abc', -1)).toBe('');
    expect(truncateUtf8('abc', 2.9)).toBe('ab');
  });

  test('replaces a lone surrogate, also when nothing is cut', () => {
    expect(truncateUtf8('a\ud800b', 100)).toBe('a\ufffdb');
    expect(toWellFormed('\udc00')).toBe('\ufffd');
    expect(isWellFormed('a\ud800')).toBe(false);
  });
});

describe('60: cutting bytes', () => {
  test('never splits a sequence and keeps all that fits', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 200 }), (text, size) => {
        const whole = Buffer.from(text);
        const cut = truncateUtf8Bytes(whole, size);
        expect(isUtf8(cut)).toBe(true);
        expect(Buffer.from(truncateUtf8(text, size)).equals(cut)).toBe(true);
      }),
    );
  });

  test('bytes that are no UTF-8 are cut at the limit', () => {
    expect(truncateUtf8Bytes(new Uint8Array(10).fill(0x80), 5)).toHaveLength(5);
  });
});

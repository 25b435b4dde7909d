import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteLength, cut, decode, encode, Utf8Decoder, wellFormed } from '../../../artifacts/lib/utf8.js';

const anyText = fc.string({ unit: 'binary', maxLength: 40 });
const brokenText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
  .map((units) => String.fromCharCode(...units));

test('encodes as the platform encoder does, lone surrogates included', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, brokenText), (text) => {
      expect([...encode(text)]).toEqual([...new TextEncoder().encode(text)]);
      expect(byteLength(text)).toBe(encode(text).length);
    }),
  );
});

test('decodes any bytes as the platform decoder does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(decode(bytes)).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    }),
    { numRuns: 2000 },
  );
});

test('decodes the same text wherever the bytes are split, and counts nothing malformed', () => {
  const bytes = new TextEncoder().encode('aé→😀\u{10ffff}\ufeffz');
  for (let at = 0; at <= bytes.length; at++) {
    const decoder = new Utf8Decoder();
    const text = decoder.push(bytes.subarray(0, at)) + decoder.push(bytes.subarray(at)) + decoder.end();
    expect(text).toBe('aé→😀\u{10ffff}\ufeffz');
    expect(decoder.malformed).toBe(0);
  }
});

test('counts what was malformed, an end inside a sequence included', () => {
  const decoder = new Utf8Decoder();
  expect(decoder.push([0x61, 0xff, 0xe2, 0x82]) + decoder.end()).toBe('a\ufffd\ufffd');
  expect(decoder.malformed).toBe(2);
});

test('decodes long input without running out of stack', () => {
  const text = 'é😀'.repeat(200_000);
  expect(decode(encode(text))).toBe(text);
});

test('E60: a cut of any size is a well-formed prefix of text with four-byte characters', () => {
  const text = 'ab😀cd😀😀e'.repeat(4);
  for (let size = 1; size <= 40; size++) {
    const prefix = cut(text, size);
    expect(text.startsWith(prefix)).toBe(true);
    expect(prefix).toBe(wellFormed(prefix));
    expect(prefix.length).toBeGreaterThanOrEqual(Math.min(size, text.length) - 1);
  }
});

test('makes any text well formed and leaves well-formed text alone', () => {
  fc.assert(
    fc.property(brokenText, (text) => {
      expect(wellFormed(text)).toBe(decode(encode(text)));
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clustersOf, cut, displayWidth, pad, wrap } from '../../src/cli/width.js';

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['🎉', 2],
    ['👩‍👩‍👧', 2],
    ['✓ ok', 4],
    ['❤️', 2],
  ])('%j takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });
});

describe('cut, pad and wrap', () => {
  it.each([
    ['short', 10, 'short'],
    ['a longer text', 8, 'a longe…'],
    ['a word', 3, 'a…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('%j in %i columns is %j', (text, columns, expected) => {
    expect(cut(text, columns)).toBe(expected);
  });

  it('breaks at spaces, and inside a word only when it must', () => {
    expect(wrap('one two three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(wrap('a verylongword b', 5)).toEqual(['a', 'veryl', 'ongwo', 'rd b']);
    expect(wrap('first\n\nsecond', 20)).toEqual(['first', '', 'second']);
    expect(wrap('日本語', 1)).toEqual(['日', '本', '語']);
  });

  it('never exceeds the columns and never loses a letter', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab c\n日é🎉'), maxLength: 80 });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (given, columns) => {
        const lines = wrap(given, columns);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replace(/\s/g, '')).toBe(given.replace(/\s/g, ''));
        expect(displayWidth(cut(given.replaceAll('\n', ' '), columns))).toBeLessThanOrEqual(columns);
        expect(displayWidth(pad(given.replaceAll('\n', ' '), columns))).toBeGreaterThanOrEqual(columns);
      }),
      { numRuns: 300 },
    );
  });
});

describe('clustersOf', () => {
  const whole = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const cuts = (text: string) => [...whole.segment(text)].map(({ segment, index }) => ({ segment, index }));

  it('cuts a long text as the segmenter cuts it at once', () => {
    const unit = fc.constantFrom(
      'a',
      ' ',
      'é',
      'e\u0301',
      '日',
      '👍',
      '👍🏽',
      '👩‍👩‍👧',
      '🇩🇪',
      '🇩',
      '\ud83d',
      '\udffd',
      '\u200d',
      'क्षि',
    );
    fc.assert(
      fc.property(fc.string({ unit, minLength: 300, maxLength: 1_200 }), (text) => {
        expect([...clustersOf(text)]).toEqual(cuts(text));
      }),
      { numRuns: 60 },
    );
  });

  it('keeps one cluster whole that is longer than any piece', () => {
    const tall = `e${'\u0301'.repeat(2_000)}`;
    expect([...clustersOf(`${tall}x${tall}`)].map(({ segment }) => segment)).toEqual([tall, 'x', tall]);
  });
});

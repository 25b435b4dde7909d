import { describe, expect, it } from 'vitest';
import { count, duration, grouped } from '../../src/text/measure.js';

describe('quantities', () => {
  it.each([
    [0, '0 ms'],
    [999.4, '999 ms'],
    [1_000, '1.0 s'],
    [59_949, '59.9 s'],
    [59_950, '1 min 00 s'],
    [65_000, '1 min 05 s'],
    [7_380_000, '2 h 03 min'],
    [-5, '0 ms'],
  ])('%d ms reads %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('groups digits and minds the plural', () => {
    expect([grouped(0), grouped(999), grouped(1_234_567)]).toEqual(['0', '999', '1,234,567']);
    expect([count(1, 'turn'), count(0, 'turn'), count(1_200, 'tool call')]).toEqual([
      '1 turn',
      '0 turns',
      '1,200 tool calls',
    ]);
  });
});

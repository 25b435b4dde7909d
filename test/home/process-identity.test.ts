import { describe, expect, test } from 'vitest';
import { parseStat, startToken } from '../../src/home/process-identity.js';

const fields = Array.from({ length: 19 }, (_, index) => String(index + 3)).join(' ');

describe('the start token of a stat line', () => {
  test('L20 plain stat: is field 22', () => {
    expect(parseStat(`1234 (sleep) ${fields} 987654 23 24`)?.startToken).toBe('987654');
  });

  test('L21 last paren: the name may hold spaces and parentheses', () => {
    expect(parseStat(`1234 (a) (b c) ${fields} 987654 23 24`)?.startToken).toBe('987654');
  });

  test('L22 no paren: there is none', () => {
    expect(parseStat('1234 sleep S 1 2 3')?.startToken).toBeUndefined();
  });

  test('L23 truncated: there is none', () => {
    expect(parseStat(`1234 (sleep) ${fields}`)?.startToken).toBeUndefined();
  });
});

test.runIf(process.platform === 'linux')('L06 token stable: reading it twice gives the same text', () => {
  const token = startToken(process.pid);
  expect(token).toMatch(/^\d+$/);
  expect(startToken(process.pid)).toBe(token);
});

test('a pid nobody holds has no token', () => {
  expect(startToken(4_194_999)).toBeUndefined();
});

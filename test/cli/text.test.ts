import { describe, expect, it } from 'vitest';
import { parseDeadline } from '../../src/cli/deadline.js';
import { block, callInput, oneLine } from '../../src/cli/safe-text.js';

describe('--deadline', () => {
  it.each([
    ['90', 90_000],
    ['90s', 90_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    [' 1d ', 86_400_000],
    ['99999999999999999999d', 315_360_000_000],
    ['0', undefined],
    ['0s', undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5h', undefined],
    ['5 m', undefined],
    ['5M', undefined],
    ['soon', undefined],
  ])('%j is %s ms', (text, ms) => {
    expect(parseDeadline(text)).toBe(ms);
  });
});

describe('untrusted text', () => {
  it('becomes one line that no terminal obeys', () => {
    expect(oneLine(' a\r\nb\t\x1b]0;x\x07 c\u2028d ')).toBe('a b ␛]0;x␇ c<U+2028>d');
  });

  it('keeps its lines where it is shown as a block', () => {
    expect(block('a\n\tb\x1b[31mred\x1b[0m')).toBe('a\n  bred');
  });

  it.each([
    ['{"path":"a b","limit":3,"deep":{"x":[1]}}', 'path=a b limit=3 deep={"x":[1]}'],
    ['{}', ''],
    ['[1,2]', '[1,2]'],
    ['"text"', '"text"'],
    ['not json', 'not json'],
    ['{"a":"\\u001b[2J\\n"}', 'a=␛[2J'],
  ])('the call input %j reads %j', (input, text) => {
    expect(callInput(input)).toBe(text);
  });
});

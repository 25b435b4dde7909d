import { describe, expect, it } from 'vitest';
import { readable } from '../../src/cli/readable.js';

describe('an answer on a terminal', () => {
  it('breaks prose between words and leaves code, tables and fences whole', () => {
    const long = 'x'.repeat(12);
    const text = [
      'one two three four',
      `    ${long}`,
      `| ${long} |`,
      '```',
      `run ${long}`,
      '```',
      'one two three',
      '',
    ].join('\n');
    expect(readable(text, 10)).toEqual([
      'one two',
      'three four',
      `    ${long}`,
      `| ${long} |`,
      '```',
      `run ${long}`,
      '```',
      'one two',
      'three',
    ]);
  });

  it('is made safe', () => {
    expect(readable('a\x1b]0;x\x07b', 40)).toEqual(['a␛]0;x␇b']);
  });
});

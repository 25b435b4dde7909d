import { describe, expect, test } from 'vitest';
import { allowProblem, isShell, planLine, readCommand, shownLine } from '../../src/shell/index.js';

const line = (name: string, data: string) => {
  const read = readCommand(name, data);
  if (!read.ok) throw new Error(read.reason);
  return read.line;
};

describe('the input of a shell call (spec/shell.md 3)', () => {
  test.each([
    [undefined, 'the call has no data'],
    ['{', 'must be valid JSON: '],
    ['{}', 'needs "command"'],
    ['{"command": 1}', 'needs "command"'],
    ['{"command": " \\n"}', 'needs "command"'],
    ['["ls"]', 'needs "command"'],
    ['null', 'needs "command"'],
  ])('%j holds no command', (data, reason) => {
    expect(readCommand('ls', data)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  test('a shell gets the command line behind -c, any other program gets words', () => {
    const data = JSON.stringify({ command: 'a "b c" > d' });
    expect(line('bash', data).args).toEqual(['-c', 'a "b c" > d']);
    expect(line('echo', data).args).toEqual(['a', 'b c', '>', 'd']);
  });

  test('only these six are shells, and case counts', () => {
    expect(['bash', 'sh', 'zsh', 'fish', 'dash', 'ksh'].every(isShell)).toBe(true);
    expect(['Bash', 'python3', 'bash5', '/bin/bash', ''].some(isShell)).toBe(false);
  });

  test('is shown as it was given', () => {
    const data = JSON.stringify({ command: ' -l  "x"' });
    expect(shownLine(line('ls', data))).toBe('ls  -l  "x"');
    expect(shownLine(line('sh', data))).toBe(' -l  "x"');
  });
});

describe('a line of a plan', () => {
  test('names its program first, and the author writes -c', () => {
    expect(planLine('bash -c "echo hi"')).toMatchObject({ name: 'bash', args: ['-c', 'echo hi'] });
    expect(planLine(' ')).toBeUndefined();
  });
});

describe('the allowlist (spec/shell.md 3.2)', () => {
  test('wants the very name', () => {
    expect(allowProblem('bash', ['bash'])).toBeUndefined();
    for (const name of ['/bin/bash', 'Bash', 'bash ', '', './bash']) {
      expect(allowProblem(name, ['bash'])).toBe(
        `'${name}' is not in capabilities.shell.allow of this capsule's manifest`,
      );
    }
  });
});

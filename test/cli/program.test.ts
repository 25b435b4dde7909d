import { describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import type { RunFlags } from '../../src/cli/run.js';
import { runRequest } from '../../src/cli/run-session.js';
import { murVersion } from '../../src/version.js';
import { memoryOutput } from './memory-stream.js';

async function mur(...argv: string[]) {
  const stdout = memoryOutput();
  const stderr = memoryOutput();
  let flags: RunFlags | undefined;
  const status = await runProgram(
    argv,
    { stdout: stdout.output, stderr: stderr.output, env: {} },
    {
      async run(given) {
        flags = given;
        return 7;
      },
    },
  );
  return { status, stdout: stdout.text(), stderr: stderr.text(), flags };
}

describe('mur', () => {
  it('alone says what it is and the three commands to try', async () => {
    const { status, stdout, stderr } = await mur();
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Runs packaged AI agents');
    expect(stdout.match(/^ {2}mur /gm)).toHaveLength(3);
    expect((await mur('--no-color')).stdout).toBe(stdout);
  });

  it.each([['--version'], ['run', '--version']])('%s %s prints the version', async (...argv) => {
    expect(await mur(...argv)).toMatchObject({ status: 0, stdout: `mur ${murVersion}\n`, stderr: '' });
  });

  it.each([['--help'], ['-h'], ['help'], ['run', '--help'], ['run', '-h'], ['help', 'run']])(
    '%s %s explains on stdout',
    async (...argv) => {
      const { status, stdout, stderr } = await mur(...argv);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Usage: mur/);
    },
  );

  it.each([
    [['runn'], "unknown command 'runn'", 'Did you mean run?'],
    [['help', 'rnu'], "unknown command 'rnu'", 'Did you mean run?'],
    [['run', '--manifes', 'x'], "unknown option '--manifes'", 'Did you mean --manifest?'],
    [['run', '--task'], "'--task <path-or-text>' argument missing", 'See: mur help run'],
    [['run', '--deadline', '0'], "argument '0' is invalid", '90, 90s, 5m, 2h or 1d'],
    [['run', '--json', '--print'], "'--print' cannot be used with option '--json'", 'usage: mur run'],
    [['run', 'extra'], 'too many arguments', 'usage: mur run'],
    [['--bogus'], "unknown option '--bogus'", 'usage: mur'],
  ])('%j is wrong usage, told on stderr with a way on', async (argv, what, next) => {
    const { status, stdout, stderr, flags } = await mur(...argv);
    expect([status, stdout, flags]).toEqual([2, '', undefined]);
    expect(stderr).toContain(what);
    expect(stderr).toContain(next);
  });

  it('returns the exit status of the command it ran', async () => {
    expect((await mur('run')).status).toBe(7);
  });

  it('takes --no-color before and after the command', async () => {
    expect((await mur('--no-color', 'run')).flags?.color).toBe(false);
    expect((await mur('run', '--no-color')).flags?.color).toBe(false);
    expect((await mur('run')).flags?.color).toBe(true);
  });
});

describe('the flags of mur run as a request', () => {
  const request = async (...argv: string[]) => runRequest((await mur('run', ...argv)).flags!);

  it('asks for nothing that was not given', async () => {
    expect(await request()).toEqual({ manifestPath: './murmur.yaml', noEnvFile: false, bindAddr: '127.0.0.1' });
  });

  it('carries every flag', async () => {
    const argv = [
      '--manifest',
      'a/murmur.yaml',
      '--task',
      'do it',
      '--context',
      'ctx_1',
      '--system-prompt',
      '',
      '--workdir',
      'w',
      '--no-env-file',
      '--deadline',
      '2h',
      '--lifecycle-task-acceptance',
      'queue',
      '--lifecycle-after-task',
      'sleep',
      '--bind',
      '0.0.0.0',
    ];
    expect(await request(...argv)).toEqual({
      manifestPath: 'a/murmur.yaml',
      task: 'do it',
      contextId: 'ctx_1',
      systemPrompt: '',
      workdir: 'w',
      noEnvFile: true,
      deadlineMs: 7_200_000,
      lifecycle: { taskAcceptance: 'queue', afterTask: 'sleep' },
      bindAddr: '0.0.0.0',
    });
  });

  it('names the words a lifecycle flag takes', async () => {
    await expect(request('--lifecycle-task-acceptance', 'maybe')).rejects.toMatchObject({
      code: 'E-IO-003',
      message: "--lifecycle-task-acceptance must be one of: none, single, queue; got 'maybe'",
    });
    await expect(request('--lifecycle-after-task', 'x')).rejects.toMatchObject({ code: 'E-IO-003' });
  });
});

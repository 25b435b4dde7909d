import { describe, expect, it } from 'vitest';
import type { ChartFlags } from '../../src/cli/chart.js';
import type { InspectFlags } from '../../src/cli/inspect.js';
import { runProgram } from '../../src/cli/program.js';
import type { PsFlags } from '../../src/cli/ps.js';
import type { ReplayFlags } from '../../src/cli/replay.js';
import type { RunFlags } from '../../src/cli/run.js';
import { runRequest } from '../../src/cli/run-session.js';
import type { StopFlags } from '../../src/cli/stop.js';
import type { TokenFlags } from '../../src/cli/token.js';
import { murVersion } from '../../src/version.js';
import { memoryOutput } from './memory-stream.js';

async function mur(...argv: string[]) {
  const stdout = memoryOutput();
  const stderr = memoryOutput();
  let flags: RunFlags | undefined;
  let asked: {
    ps?: PsFlags;
    stop?: StopFlags;
    token?: TokenFlags;
    inspect?: InspectFlags;
    replay?: ReplayFlags;
    chart?: ChartFlags;
  } = {};
  const statuses = { run: 7, ps: 8, stop: 9, token: 10, inspect: 11, replay: 12, chart: 13 };
  const context = { stdout: stdout.output, stderr: stderr.output, env: {} };
  const status = await runProgram(argv, context, async (command, given) => {
    if (command === 'run') flags = given as RunFlags;
    else asked = { [command]: given };
    return statuses[command as keyof typeof statuses];
  });
  return { status, stdout: stdout.text(), stderr: stderr.text(), flags, asked };
}

describe('mur', () => {
  it('alone says what it is and what to try', async () => {
    const { status, stdout, stderr } = await mur();
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Runs packaged AI agents');
    expect(stdout).toContain('  mur run ');
    expect((await mur('--no-color')).stdout).toBe(stdout);
  });

  it.each([['--version'], ['run', '--version']])('%s %s prints the version', async (...argv) => {
    expect(await mur(...argv)).toMatchObject({ status: 0, stdout: `mur ${murVersion}\n`, stderr: '' });
  });

  it.each([
    ['--help'],
    ['help'],
    ...['run', 'ps', 'stop', 'token'].flatMap((name) => [
      [name, '-h'],
      ['help', name],
    ]),
  ])('%s %s explains on stdout', async (...argv) => {
    const { status, stdout, stderr } = await mur(...argv);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: mur/);
  });

  it.each([
    [['runn'], "unknown command 'runn'", 'Did you mean run?'],
    [['help', 'rnu'], "unknown command 'rnu'", 'Did you mean run?'],
    [['run', '--manifes', 'x'], "unknown option '--manifes'", 'Did you mean --manifest?'],
    [['run', '--task'], "'--task <path-or-text>' argument missing", 'See: mur help run'],
    [['run', '--deadline', '0'], "argument '0' is invalid", '90, 90s, 5m, 2h or 1d'],
    [['run', '--json', '--print'], "'--print' cannot be used with option '--json'", 'usage: mur run'],
    [['run', 'extra'], 'too many arguments', 'usage: mur run'],
    [['--bogus'], "unknown option '--bogus'", 'usage: mur'],
    [['ps', '@1'], 'too many arguments', 'usage: mur ps'],
    [['stop'], "missing required argument 'address'", 'usage: mur stop'],
    [['stop', '@1', '--all'], "'address' cannot be used with option '--all'", 'usage: mur stop'],
    [['stop', '@1', '--timeout', '-1'], "argument '-1' is invalid", 'a number of seconds from 0 to 86400'],
    [['stop', '@1', '--timeout', '1e3'], "argument '1e3' is invalid", 'usage: mur stop'],
    [['stop', '--url', 'localhost:1'], "unknown option '--url'", 'usage: mur stop'],
    [['token', '@1', '@2'], 'too many arguments', 'usage: mur token'],
  ])('%j is wrong usage, told on stderr with a way on', async (argv, what, next) => {
    const { status, stdout, stderr, flags } = await mur(...argv);
    expect([status, stdout, flags]).toEqual([2, '', undefined]);
    expect(stderr).toContain(what);
    expect(stderr).toContain(next);
  });

  it('returns the exit status of the command it ran', async () => {
    expect((await mur('run')).status).toBe(7);
  });

  it('gives ps, stop and token their flags, with the defaults of the specification', async () => {
    expect(await mur('ps')).toMatchObject({ status: 8, asked: { ps: { color: true } } });
    expect((await mur('ps', '-w', '--json', '-v')).asked.ps).toEqual({
      watch: true,
      json: true,
      verbose: true,
      color: true,
    });
    expect(await mur('stop', '@1')).toMatchObject({ status: 9, asked: { stop: { address: '@1', timeout: 10_000 } } });
    expect((await mur('stop', '--all', '--timeout', '0.5')).asked.stop).toEqual({
      all: true,
      timeout: 500,
      color: true,
    });
    expect((await mur('--no-color', 'stop', '8394', '--timeout', '0')).asked.stop).toEqual({
      address: '8394',
      timeout: 0,
      color: false,
    });
    expect(await mur('token')).toMatchObject({
      status: 10,
      asked: { token: { address: '@1', credential: 'operator' } },
    });
    expect((await mur('token', '@2', '--credential', 'reader')).asked.token).toMatchObject({
      address: '@2',
      credential: 'reader',
    });
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

describe('mur inspect', () => {
  it('takes any number of sessions, and opens a page on any port', async () => {
    const { status, asked } = await mur('inspect', '@1', '8394');
    expect(status).toBe(11);
    expect(asked.inspect).toMatchObject({ addresses: ['@1', '8394'], open: true, port: 0 });
  });

  it('takes --all, --no-open, --port and --json', async () => {
    const { asked } = await mur('inspect', '--all', '--no-open', '--port', '4000', '--json');
    expect(asked.inspect).toMatchObject({ addresses: [], all: true, open: false, port: 4000, json: true });
  });

  it.each([['--port', '70000'], ['--port', 'x'], ['--json', '--bridge', 'ws://127.0.0.1:1'], ['--nosuch']])(
    'refuses %s %s as wrong usage',
    async (...flags) => {
      expect((await mur('inspect', ...flags)).status).toBe(2);
    },
  );
});

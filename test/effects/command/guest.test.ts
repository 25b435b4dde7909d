import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Commands } from '../../../src/effects/command.js';
import { executeForGuest } from '../../../src/effects/command-guest.js';
import { MurError } from '../../../src/errors/index.js';
import type { GuestHost, ShellResult } from '../../../src/wasm/index.js';
import { groupMembers } from '../../fixtures/box/plain.js';
import { type ShellCall, shellGuest } from '../../fixtures/component/shell-guest.js';
import { failureOf, openHost, resultOf, type TestHost } from '../../wasm/host.js';
import { caller, commandSession } from './session.js';

vi.setConfig({ testTimeout: 60_000 });

let wasm: TestHost;
beforeAll(async () => {
  wasm = await openHost();
});
afterAll(async () => {
  await wasm[Symbol.asyncDispose]();
});

type Session = ReturnType<typeof commandSession>;

const run = (session: Session, binary: string, args: string[], env: [string, string][] = [], signal?: AbortSignal) =>
  executeForGuest(session.commands, { binary, args, env }, { ...caller, ...(signal && { signal }) });
const ran = async (...given: Parameters<typeof run>): Promise<ShellResult> => {
  const { answer } = await run(...given);
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
};

describe('a guest that runs a program (spec/shell.md 11)', () => {
  test('gets its arguments as they are, its variables stripped, and no -c', async () => {
    const session = commandSession();
    const script = 'echo "$A|$X_API_KEY|$MURMUR_SESSION_ID|$1"; exit 4';
    const env: [string, string][] = [
      ['A', 'a'],
      ['X_API_KEY', 'k'],
    ];
    const { answer, shell, fatal } = await run(session, 'sh', ['-c', script, 'sh', 'a b'], env);
    const expected = { exitCode: 4, stdout: 'a|||a b\n', stderr: '', truncated: false, fullOutputPath: undefined };
    expect(answer).toEqual(expected);
    expect(shell).toMatchObject({ command: `-c ${script} sh a b`, exitCode: 4, stdoutBytes: 8 });
    expect(fatal).toBeUndefined();
    expect((await ran(session, 'sh', ['true'])).exitCode).not.toBe(0);
  });

  test('cannot set what the runtime sets (env-override-home)', async () => {
    const session = commandSession();
    const names = ['HOME', 'TMPDIR', 'MURMUR_RUNTIME_DIR', 'MURMUR_RECORDS_DIR', 'MURMUR_STATE_DIR'];
    const { stdout } = await ran(
      session,
      'sh',
      ['-c', names.map((name) => `echo "$${name}"`).join(';')],
      names.map((name) => [name, '/evil']),
    );
    const { root } = session;
    expect(stdout.split('\n')).toEqual([
      ...['records/home', 'temp', 'run', 'records'].map((folder) => join(root, folder)),
      '',
      '',
    ]);
  });

  test.each([
    ['a path of an allowed program', '/bin/sh', [], [], "'/bin/sh' is not in capabilities.shell.allow"],
    ['a name of a variable that is none', 'sh', [], [['A=B', '']], 'no name of a variable'],
    ['an argument with a NUL', 'sh', ['a\0b'], [], 'NUL'],
    ['a program that is not there', 'no-such-program', [], [], 'no executable file'],
  ] as [string, string, string[], [string, string][], string][])(
    'is told why nothing ran: %s',
    async (_, binary, args, env, reason) => {
      const session = commandSession();
      const { answer, ...rest } = await run(session, binary, args, env);
      expect(answer).toContain(reason);
      expect(rest).toEqual({});
      expect(session.box.started).toEqual([]);
    },
  );

  test('is told so once the work folder is too large, and of a name as long as it likes in few words', async () => {
    const session = commandSession({ breach: () => ({ maxBytes: 10, observedBytes: 12 }) });
    expect((await run(session, 'sh', [])).answer).toMatch(/12 bytes.*workdir_max_bytes.*10/);
    expect(Buffer.byteLength((await run(session, 'é'.repeat(100_000), [])).answer as string)).toBeLessThanOrEqual(4096);
  });

  test('a sealed root that cannot be built ends the session too', async () => {
    const box = { start: () => Promise.reject(new MurError('E-RUN-014', 'no root')) };
    expect(await run(commandSession({ box }), 'sh', [])).toMatchObject({
      answer: 'no root',
      fatal: { code: 'E-RUN-014' },
    });
  });

  test('is told of the limit its program hit by the exit code; the facts name it', async () => {
    const { answer, shell } = await run(commandSession(), 'sh', ['-c', 'kill -XCPU $$']);
    expect(answer).toMatchObject({ exitCode: 152 });
    expect(shell).toMatchObject({ resourceLimit: 'cpu_seconds' });
  });

  test('gets the start of long output, and the log that has all of it, which its next program can read', async () => {
    const session = commandSession();
    const { stdout, truncated, fullOutputPath } = await ran(session, 'sh', [
      '-c',
      'head -c 1048576 /dev/zero | tr "\\0" o',
    ]);
    expect([stdout.length, truncated]).toEqual([16384, true]);
    expect(readFileSync(fullOutputPath!, 'utf8')).toMatch(
      /^Command: sh -c head .*\nExit code: 0\n\nStdout:\no{1048576}\n/,
    );
    expect((await ran(session, 'sh', ['-c', `head -c 11 '${fullOutputPath}'`])).stdout).toBe('Command: sh');
  });

  test('is never left without the end of its program, however long it takes', async () => {
    const session = commandSession({ graceMs: 0 });
    expect((await ran(session, 'sh', ['-c', 'sleep 0.3; echo late'])).stdout).toBe('late\n');
    expect(session.commands.outstanding()).toEqual([]);
  });

  test('asks for more than a process can be given, and is told so', async () => {
    const session = commandSession();
    const { answer } = await run(session, 'sh', ['-c', 'true', 'x'.repeat(3_000_000)]);
    expect(answer).toContain('E2BIG');
    expect(
      (
        await run(
          session,
          'echo',
          Array.from({ length: 2000 }, () => 'word'),
        )
      ).shell!.command.length,
    ).toBe(4096);
  });
});

describe('the import of a component', () => {
  const hostOf = (commands: Commands): GuestHost => ({
    shell: async (asked, signal) => {
      const { answer } = await executeForGuest(commands, asked, { ...caller, signal });
      if (typeof answer === 'string') throw answer;
      return answer;
    },
  });
  const call = (session: Session, calls: readonly ShellCall[], more: Parameters<TestHost['call']>[1] = {}) =>
    wasm.call(shellGuest('tool', calls), { host: hostOf(session.commands), ...more });
  const sh = (script: string): ShellCall => ({ binary: 'sh', args: ['-c', script] });

  test('carries arguments, variables, results and errors both ways', async () => {
    const outcome = await call(commandSession(), [
      { binary: 'sh', args: ['-c', 'echo "$1 $V"; echo é >&2', 'sh', 'a  b'], env: [['V', 'ü']] },
      { binary: 'rm', args: ['-rf', '.'] },
      sh('head -c 20000 /dev/zero'),
    ]);
    resultOf(outcome);
    const [first, second, third] = outcome.stdout.split('\n');
    expect(outcome.stdout).toContain('ok:a  b ü\n|é\n|\nerr:');
    expect([first, second]).toEqual(['ok:a  b ü', '|é']);
    expect(third).toBe('|');
    expect(outcome.stdout).toContain("err:'rm' is not in capabilities.shell.allow");
    expect(outcome.stdout).toMatch(/\|\|\/.*\/records\/logs\/shell-\d+\.log\n$/);
  });

  test('two guests at once have programs of their own, at the same time', async () => {
    const session = commandSession();
    // Whoever comes first is a. Each ends only once the other has begun.
    const meet = 'mkdir a 2>/dev/null && o=b || { mkdir b; o=a; }; until [ -e $o ]; do sleep 0.01; done; echo saw $o';
    const calls = [sh(meet)];
    const ends = await Promise.all([call(session, calls), call(session, calls)]);
    expect(ends.map(({ stdout }) => stdout).sort()).toEqual(['ok:saw a\n||\n', 'ok:saw b\n||\n']);
  });

  test.each(['deadline', 'abort'] as const)('the %s of the call ends the program with its tree', async (end) => {
    const session = commandSession();
    const stop = new AbortController();
    const running = call(session, [sh('sleep 100 & echo up > up; wait')], {
      signal: stop.signal,
      limits: { deadlineMs: end === 'deadline' ? 1000 : 60_000 },
    });
    await vi.waitFor(() => expect(existsSync(join(session.work, 'up'))).toBe(true), { timeout: 20_000 });
    if (end === 'abort') stop.abort();
    expect(failureOf(await running).kind).toBe(end === 'abort' ? 'aborted' : 'deadline');
    const [process] = session.box.started;
    await process!.ended;
    // The shell is gone; what it started got the same signal, and may be a moment behind.
    await vi.waitFor(() => expect(groupMembers(process!.pid)).toBe(0), { timeout: 20_000 });
  });
});

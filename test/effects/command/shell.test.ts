import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runShell, shellLine } from '../../../src/effects/command-shell.js';
import { runStep } from '../../../src/effects/command-step.js';
import { MurError } from '../../../src/errors/index.js';
import type { DispatchOutcome } from '../../../src/tools/index.js';
import { readFence } from '../../../src/tools/index.js';
import { groupMembers } from '../../fixtures/box/plain.js';
import { caller, commandSession, says } from './session.js';

const textOf = ({ result }: DispatchOutcome) => readFence(result.data ?? '')?.text;
const shell = (session: ReturnType<typeof commandSession>, command: string, name = 'sh', signal?: AbortSignal) =>
  runShell(session.commands, { ...caller, name, data: says(command), ...(signal && { signal }) });

describe('a shell tool call (spec/shell.md 5, 6)', () => {
  test('runs in the work folder with its own name, and shows both streams and its exit code', async () => {
    const session = commandSession();
    const outcome = await shell(session, 'pwd; echo "$0" "$MURMUR_SESSION_ID"; echo err >&2; exit 3');
    expect(textOf(outcome)).toBe(
      `$ pwd; echo "$0" "$MURMUR_SESSION_ID"; echo err >&2; exit 3\nExit code: 3\nStdout:\n${session.work}\nsh ses_a\n\nStderr:\nerr\n`,
    );
    expect(outcome).toMatchObject({
      result: { status: 'passed', truncated: false },
      fenceSource: 'tool:sh',
      shell: { exitCode: 3, stderrBytes: 4, command: expect.stringContaining('exit 3') },
    });
    expect(outcome.shell?.binary.startsWith('/')).toBe(true);
    expect(outcome).not.toHaveProperty('runtimeError');
    expect(outcome).not.toHaveProperty('detached');
  });

  test('splits the arguments of any other program', async () => {
    expect(textOf(await shell(commandSession(), '"a  b" c > d', 'echo'))).toContain('Stdout:\na  b c > d\n');
  });

  test('reads nothing from stdin', async () => {
    expect(textOf(await shell(commandSession(), 'cat; echo end'))).toContain('Stdout:\nend\n');
  });

  test('says 128 + n for a signal', async () => {
    expect((await shell(commandSession(), 'kill -9 $$')).shell?.exitCode).toBe(137);
  });

  test('has a private home, mode 0700', async () => {
    const session = commandSession();
    expect(textOf(await shell(session, 'echo x > "$HOME/f"; echo "$HOME"'))).toContain(
      join(session.root, 'records/home'),
    );
    expect(statSync(join(session.root, 'records/home')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(session.root, 'records/home/f'), 'utf8')).toBe('x\n');
  });

  test('a program deletes PATH from its environment, and the same file runs', async () => {
    const session = commandSession({ policy: { shellAllow: ['sh'], shellBaselineEnv: [], shellStripEnv: ['PATH'] } });
    expect(textOf(await shell(session, 'echo ran'))).toContain('Stdout:\nran');
  });

  test('output of both streams beyond any pipe never blocks, and all of it is in the log', async () => {
    const session = commandSession();
    const outcome = await shell(
      session,
      'head -c 300000 /dev/zero | tr "\\0" e >&2; head -c 200000 /dev/zero | tr "\\0" o',
    );
    const path = Object.fromEntries(outcome.result.metadata).full_output_path!;
    expect(outcome.result.truncated).toBe(true);
    expect(outcome.shell).toMatchObject({ stdoutBytes: 16384, stderrBytes: 16384 });
    expect(textOf(outcome)).toContain(path);
    expect(path).toMatch(new RegExp(`^${session.root}/records/logs/shell-\\d{13}\\.log$`));
    const log = readFileSync(path, 'utf8');
    expect(log).toMatch(/^Command: sh -c head .*\nExit code: 0\n\nStdout:\no{200000}\n\nStderr:\ne{300000}$/);
  });

  test('overlapping calls have logs of their own', async () => {
    const session = commandSession({ clock: { now: () => 5, monotonic: () => 5, sleep: async () => undefined } });
    const outcomes = await Promise.all(
      ['a', 'b', 'c'].map((each) => shell(session, `head -c 20000 /dev/zero | tr "\\0" ${each}`)),
    );
    const paths = outcomes.map(({ result }) => Object.fromEntries(result.metadata).full_output_path!);
    expect(paths.map((path) => path.split('/').at(-1)).sort()).toEqual([
      'shell-5-2.log',
      'shell-5-3.log',
      'shell-5.log',
    ]);
    for (const [index, each] of ['a', 'b', 'c'].entries())
      expect(readFileSync(paths[index]!, 'utf8')).toContain(each.repeat(99));
  });

  test('a job it leaves running holds nothing up', async () => {
    const session = commandSession();
    const outcome = await shell(session, 'sleep 60 & echo started');
    expect(textOf(outcome)).toContain('started');
    expect(outcome.shell!.durationMs).toBeLessThan(20_000);
    await session.box.started[0]!.kill();
  });
});

describe('a call that runs nothing (spec/shell.md 3, 6.2)', () => {
  test.each([
    ['name that is not allowed', 'ls', says('x'), "'ls' is not in capabilities.shell.allow"],
    ['path of an allowed program', '/bin/sh', says('x'), "'/bin/sh' is not in capabilities.shell.allow"],
    ['input that is not JSON', 'sh', '{', 'must be valid JSON'],
    ['input without a command', 'sh', '{}', 'needs "command"'],
    ['no input', 'sh', undefined, 'has no data'],
    ['program that is not there', 'no-such-program', says('x'), 'no executable file on the PATH'],
  ])('%s', async (_, name, data, reason) => {
    const session = commandSession();
    const outcome = await runShell(session.commands, { ...caller, name, data });
    expect(outcome).toMatchObject({ result: { status: 'error' }, runtimeError: expect.stringContaining(reason) });
    expect(textOf(outcome)).toBe(outcome.runtimeError);
    expect(outcome.shell ?? outcome.detached).toBeUndefined();
    expect(session.box.started).toEqual([]);
  });

  test('once the work folder is too large', async () => {
    const session = commandSession({ breach: () => ({ maxBytes: 10, observedBytes: 12 }) });
    expect((await shell(session, 'true')).runtimeError).toMatch(/12 bytes.*workdir_max_bytes.*10/);
    expect(session.box.started).toEqual([]);
  });

  test('when its home cannot be made', async () => {
    const session = commandSession();
    writeFileSync(join(session.root, 'records/home'), 'a file');
    expect((await shell(session, 'true')).runtimeError).toContain('records/home');
    rmSync(join(session.root, 'records/home'));
    mkdirSync(join(session.root, 'records/home'));
    expect((await shell(session, 'true')).shell?.exitCode).toBe(0);
  });

  test('a sealed root that cannot be built ends the session too', async () => {
    const box = { start: () => Promise.reject(new MurError('E-RUN-014', 'no root')) };
    const outcome = await shell(commandSession({ box }), 'true');
    expect(outcome).toMatchObject({ runtimeError: 'no root', fatal: { code: 'E-RUN-014' } });
    expect(
      await shell(commandSession({ box: { start: () => Promise.reject(new Error('no')) } }), 'true'),
    ).not.toHaveProperty('fatal');
  });
});

describe('a limit that was hit (spec/shell.md 9)', () => {
  test('is noted behind the fence, and the call passed', async () => {
    let count = 0;
    const counters = async () => ({ oomKill: 0, pidsMax: count++ });
    const outcome = await shell(commandSession({ counters }), 'exit 1');
    expect(outcome.shell?.resourceLimit).toBe('cgroup_pids_max');
    expect(outcome.result.status).toBe('passed');
    expect(outcome.runtimeNote).toContain('capabilities.resources.cgroup_pids_max');
  });

  test('is in the line of the trace, which hangs on the turn', async () => {
    const session = commandSession();
    const { shell: ran } = await shell(session, 'echo é; kill -XCPU $$');
    session.trace.write('shell', shellLine({ turn: 0, taskId: 'tsk_1' }, ran!));
    const [line] = session.lines('shell');
    expect(line).toMatchObject({
      parent_id: session.lines('inference')[0]!.event_id,
      stdout_bytes: 3,
      stderr_bytes: 0,
    });
    expect(Object.keys(line!).slice(5)).toEqual(
      'turn task_id binary command exit_code stdout_bytes stderr_bytes duration_ms resource_limit'.split(' '),
    );
  });

  test('SIGXCPU is the limit of processor time', async () => {
    expect((await shell(commandSession(), 'kill -XCPU $$')).shell).toMatchObject({
      exitCode: 152,
      resourceLimit: 'cpu_seconds',
    });
  });

  test('exit 3 is none, and neither are counters that cannot be read', async () => {
    expect((await shell(commandSession(), 'exit 3')).shell).not.toHaveProperty('resourceLimit');
    const counters = () => Promise.reject(new Error('gone'));
    expect(await shell(commandSession({ counters }), 'exit 3')).not.toHaveProperty('runtimeNote');
  });
});

describe('a call that is canceled (spec/shell.md 12)', () => {
  test('ends the whole tree, also one that ignores SIGTERM', async () => {
    const session = commandSession();
    const cancel = new AbortController();
    const running = shell(session, 'trap "" TERM; sleep 100 & echo up > up; wait; wait', 'sh', cancel.signal);
    await vi.waitFor(() => expect(existsSync(join(session.work, 'up'))).toBe(true), { timeout: 20_000 });
    cancel.abort();
    expect((await running).runtimeError).toContain('canceled');
    expect(groupMembers(session.box.started[0]!.pid)).toBe(0);
  });

  test('before it starts, starts nothing', async () => {
    const session = commandSession();
    expect((await shell(session, 'true', 'sh', AbortSignal.abort())).runtimeError).toContain('canceled');
    expect(session.box.started).toEqual([]);
  });
});

describe('a shell step of a plan (spec/shell.md 10)', () => {
  test.each([
    ['echo "a b"', { status: 'success', text: 'a b\n' }],
    ['sh -c "echo out; echo why >&2; exit 2"', { status: 'failed', text: 'why\n' }],
    ['sh -c "exit 2"', { status: 'failed', text: 'exit code 2' }],
    ['  ', { status: 'failed', text: 'the step has no command' }],
    ['ls', { status: 'failed', text: expect.stringContaining('capabilities.shell.allow') }],
    ['no-such-program', { status: 'failed', text: expect.stringContaining('no executable file') }],
    ['sh -c "kill -XFSZ $$"', { status: 'failed', text: expect.stringMatching(/^E-RUN-011: .*max_file_size_bytes/) }],
  ])('%s', async (line, outcome) => {
    expect(await runStep(commandSession({ graceMs: 0 }).commands, line, caller)).toMatchObject(outcome);
  });

  test('gets none of the session its variables', async () => {
    const { text } = await runStep(commandSession().commands, `sh -c 'echo "[$MURMUR_SESSION_ID]"'`, caller);
    expect(text).toBe('[]\n');
  });
});

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Output, type TextStream } from '../../src/cli/output.js';
import { plainLines } from '../../src/cli/plain.js';
import { type RunEnding, RunView, type RunViewOptions } from '../../src/cli/run-view.js';
import { MurError } from '../../src/errors/index.js';
import type { Clock } from '../../src/supervise/clock.js';
import { memoryOutput } from './memory-stream.js';
import { answer, sessionId, story } from './story.js';
import { screenAfter } from './terminal.js';

interface Shown {
  readonly stdout: string;
  readonly stderr: string;
}

/** What both streams got for the story. When both are the terminal, `stdout` holds everything, in order. */
function show(
  options: Partial<RunViewOptions> = {},
  terminal: { readonly stdout?: boolean; readonly stderr?: boolean } = {},
  ending: RunEnding = { status: 'ok', answer },
): Shown {
  const stdout = memoryOutput(terminal.stdout === true);
  const isOne = terminal.stdout === true && terminal.stderr === true;
  const stderr = isOne ? stdout : memoryOutput(terminal.stderr === true);
  let nowMs = 0;
  const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, sleep: async () => undefined };
  const view = new RunView({
    stdout: stdout.output,
    stderr: stderr.output,
    env: {},
    clock,
    mode: 'human',
    isVerbose: false,
    isQuiet: false,
    noColor: true,
    ...options,
  });
  for (const { atMs, notice } of story) {
    nowMs = atMs;
    view.notice(ending.answer === undefined && notice.type === 'task.ended' ? withoutAnswer(notice) : notice);
  }
  view.end(ending);
  return { stdout: stdout.text(), stderr: stderr.text() };
}

function withoutAnswer<T extends { readonly answer?: string }>({ answer: _answer, ...notice }: T): T {
  return notice as T;
}

describe('stdout that is no terminal', () => {
  it('gets exactly the lines scripts know', () => {
    expect(show().stdout).toBe(`murmur: url localhost:40123\nsession: ${sessionId}\nstatus:  ok\n`);
  });

  it('gets the details under --verbose', () => {
    expect(show({ isVerbose: true }).stdout.split('\n').slice(1, -2)).toEqual([
      `session: ${sessionId}`,
      'workdir: /home/ann/notes/workdir',
      'manifest: notes v0.1.0',
      'driver: mur-driver-rehearsal (rehearsal-1)',
      'skills: 1 installed',
    ]);
  });

  it('gets one JSON line under --json, which beats --verbose, and nothing else', () => {
    const { stdout, stderr } = show({ mode: 'json', isVerbose: true });
    expect(JSON.parse(stdout)).toEqual({
      url: 'localhost:40123',
      pid: 7,
      session_id: sessionId,
      name: 'notes',
      version: '0.1.0',
      workdir: '/home/ann/notes/workdir',
    });
    expect(stdout.match(/\n/g)).toHaveLength(1);
    expect(stderr).toBe('');
  });

  it('gets only the answer under --print, byte for byte but for its end', () => {
    const { stdout, stderr } = show({ mode: 'print' }, {}, { status: 'ok', answer: 'a\x1b[1mb\n\n' });
    expect([stdout, stderr]).toEqual(['a\x1b[1mb\n', '']);
  });

  it('gets nothing under --print when there is no answer', () => {
    const error = new MurError('E-RUN-040', 'the task ended failed');
    const { stdout, stderr } = show({ mode: 'print' }, {}, { status: 'failed', error });
    expect([stdout, stderr]).toEqual(['', 'error[E-RUN-040]: the task ended failed\n']);
  });

  it('names the session of a script capsule, which has no door', () => {
    const stdout = memoryOutput();
    const stderr = memoryOutput();
    const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
    const view = new RunView({
      stdout: stdout.output,
      stderr: stderr.output,
      env: {},
      clock,
      mode: 'human',
      isVerbose: false,
      isQuiet: true,
      noColor: true,
    });
    view.notice({ type: 'session.staged', sessionId, workdir: '/w', recordsDir: '/r', hasDoor: false });
    view.end({ status: 'trapped', error: new MurError('E-RUN-001', 'unreachable\nin run', { hint: 'look' }) });
    expect(stdout.text()).toBe(`session: ${sessionId}\nstatus:  trapped\n`);
    expect(stderr.text()).toBe('error[E-RUN-001]: unreachable\n  in run\n  hint: look\n');
  });
});

describe('stderr that is no terminal', () => {
  it('names a tool that is called without input, and nothing after its name', () => {
    expect(
      plainLines({ type: 'tool.started', taskId: 'tsk_1', turn: 2, callId: 'c1', name: 'clock', input: '{}' }),
    ).toEqual(['turn 3: calls clock']);
  });

  it.each([
    [{ exitCode: 0 }, 'bash: ok in 1.2 s'],
    [{ exitCode: 3 }, 'bash: exit 3 in 1.2 s'],
    [{ workId: 'wrk_1' }, 'bash: goes on in the background as wrk_1 after 1.2 s'],
  ])('says of a command what became of it: %j', (became, line) => {
    const call = {
      taskId: 'tsk_1',
      callId: 'c1',
      name: 'bash',
      status: 'ok',
      durationMs: 1200,
      outputBytes: 9,
    } as const;
    expect(plainLines({ type: 'tool.finished', ...call, ...became })).toEqual([line]);
  });

  it('is told what a task asks, how to answer, and that it was', () => {
    const asked = { type: 'input.requested', sessionId, taskId: 'tsk_1', prompt: 'Which pump?\nsay 1 or 2' } as const;
    expect(plainLines(asked)).toEqual(['asks you: Which pump? say 1 or 2', 'answer: mur send 61728394 "..."']);
    expect(plainLines({ type: 'input.ended', taskId: 'tsk_1', wasAnswered: true })).toEqual(['answered']);
    expect(plainLines({ type: 'input.ended', taskId: 'tsk_1', wasAnswered: false })).toEqual([]);
  });

  it('gets one line per fact and the answer, indented, with nothing to redraw', () => {
    expect(show().stderr).toBe(
      [
        'compiled mur-driver-rehearsal in 1.4 s',
        `staged ${sessionId} in /home/ann/notes/workdir`,
        'task: Read the notes and say what was decided.',
        'turn 1: ended in 3.0 s, 1,204 tokens in, 56 out',
        'turn 1: calls list path=.',
        'list: ok in 12 ms',
        'turn 1: calls read path=monday␛[2J.md limit=9',
        'read: error in 1.8 s: no such file: ␛]0;title␇monday.md',
        'turn 2: ended in 550 ms, 1,410 tokens in, 20 out',
        'task ok after 2 turns in 3.6 s',
        'answer:',
        '  The team decided two things:',
        '',
        '  1. Ship on Friday.',
        '  2. 日本語 goes first 🎉',
        'ending: finished',
        '',
      ].join('\n'),
    );
  });

  it('gets nothing but errors under --quiet', () => {
    expect(show({ isQuiet: true }).stderr).toBe('');
  });
});

describe('a terminal', () => {
  const ending = [
    '  ✓ completed          2 turns · 2 tool calls                     3.6 s',
    '',
    'The team decided two things:',
    '',
    '1. Ship on Friday.',
    '2. 日本語 goes first 🎉',
    '',
    'status:  ok',
    '',
  ];

  it('ends with the answer and the status, nothing half drawn', () => {
    const screen = screenAfter(show({}, { stdout: true, stderr: true }).stdout, 72);
    expect(screen.slice(1, 5)).toEqual([
      '  ✓ staged             /home/ann/notes/workdir                    1.5 s',
      'murmur: url localhost:40123',
      `session: ${sessionId}`,
      '',
    ]);
    expect(screen.slice(-9)).toEqual(ending);
    expect(screen.join('\n')).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
  });

  it('shows the same answer only once', () => {
    const screen = screenAfter(show({}, { stdout: true, stderr: true }).stdout, 72).join('\n');
    expect(screen.match(/The team decided/g)).toHaveLength(1);
  });

  it('keeps stdout exact when only stderr is the terminal', () => {
    const { stdout, stderr } = show({}, { stderr: true });
    expect(stdout).toBe(`murmur: url localhost:40123\nsession: ${sessionId}\nstatus:  ok\n`);
    expect(screenAfter(stderr, 72).join('\n')).toContain('1. Ship on Friday.');
  });

  it('that is dumb gets plain lines', () => {
    expect(show({ env: { TERM: 'dumb' } }, { stderr: true }).stderr).not.toContain('\x1b');
  });

  it('is coloured unless somebody said no', () => {
    const colored = (options: Partial<RunViewOptions>) =>
      /\x1b\[\d+m/.test(show({ noColor: false, ...options }, { stderr: true }).stderr);
    expect(colored({})).toBe(true);
    expect(colored({ env: { NO_COLOR: '1' } })).toBe(false);
    expect(colored({ env: { NO_COLOR: '' } })).toBe(true);
    expect(colored({ noColor: true })).toBe(false);
  });

  it('leaves a line free before the status of a run without an answer', () => {
    const error = new MurError('E-RUN-040', 'the task ended failed');
    const screen = screenAfter(show({}, { stdout: true, stderr: true }, { status: 'failed', error }).stdout, 72);
    expect(screen.slice(-4)).toEqual(['', 'status:  failed', 'error[E-RUN-040]: the task ended failed', '']);
  });
});

describe('warnings', () => {
  it('name who found them and where to read more; one without a code is just said', () => {
    const stderr = memoryOutput();
    const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
    const view = new RunView({
      stdout: memoryOutput().output,
      stderr: stderr.output,
      env: {},
      clock,
      mode: 'json',
      isVerbose: false,
      isQuiet: true,
      noColor: true,
    });
    view.notice({ type: 'warning', code: 'W-SEC-032', message: 'the door\nis open', origin: 'cli' });
    view.notice({ type: 'warning', code: 'W-SEC-905', message: 'x', origin: 'runtime' });
    view.notice({ type: 'warning', code: '', message: 'unknown key', origin: 'manifest' });
    expect(stderr.text().split('\n')).toEqual([
      expect.stringMatching(/^warning\[W-SEC-032\]: the door is open \(https:\/\/\S+#w-sec-032\)$/),
      expect.stringMatching(/^\[capsule-runtime\] warning\[W-SEC-905\]: x \(https:\/\/\S+#w-sec-905\)$/),
      'warning: unknown key',
      '',
    ]);
  });
});

describe('a stream whose reader has left', () => {
  function brokenOutput(code: string): Output {
    const error = Object.assign(new Error(code), { code });
    return new Output({
      write: (_text: string, done: (error: Error) => void) => done(error),
      on: () => undefined,
    } as unknown as TextStream);
  }

  it('keeps its lines in the bootstrap log of the session, once there is one', () => {
    const recordsDir = mkdtempSync(join(tmpdir(), 'mur-view-'));
    try {
      const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
      const view = new RunView({
        stdout: brokenOutput('EPIPE'),
        stderr: memoryOutput().output,
        env: {},
        clock,
        mode: 'human',
        isVerbose: false,
        isQuiet: true,
        noColor: true,
      });
      view.notice({ type: 'session.staged', sessionId, workdir: '/w', recordsDir });
      view.notice({ type: 'door.listening', sessionId, url: 'localhost:1', pid: 1, workdir: '/w' });
      view.end({ status: 'ok' });
      const log = join(recordsDir, 'logs', 'bootstrap.log');
      expect(readFileSync(log, 'utf8')).toBe(`murmur: url localhost:1\nsession: ${sessionId}\nstatus:  ok\n`);
      expect(statSync(log).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(recordsDir, { recursive: true });
    }
  });
});

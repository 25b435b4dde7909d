import { describe, expect, test } from 'vitest';
import type { Frame } from '../../../src/inspect/frame.js';
import { callsOf } from '../../../src/inspect/page/store/calls.js';
import { unfenced } from '../../../src/inspect/page/store/fence.js';
import { Intake } from '../../../src/inspect/page/store/fold.js';
import { spentBy, summaryOf } from '../../../src/inspect/page/store/pick.js';
import { storyOf } from '../../../src/inspect/page/store/story.js';
import { ended, recorded, SESSION } from './frames.js';

const told = recorded();

function entriesOf(frames: readonly Frame[]) {
  const intake = new Intake();
  intake.take(frames);
  return intake.shown.sessions.get(SESSION)!.entries;
}

const whole = entriesOf(ended(told));
const calls = callsOf(whole);

describe('calls', () => {
  test('carry input, output, bytes, status and time, each from whoever knows it', () => {
    const search = calls.find(({ callId }) => callId === 'call_2_1')!;
    expect(search).toMatchObject({
      ...{
        kind: 'tool',
        name: 'mur-tool-files',
        turn: 1,
        status: 'ok',
        inBytes: 54,
        outBytes: 316,
        fence: 'tool:mur-tool-files',
      },
      input: { action: 'search', pattern: 'WARN|STOP', regex: true },
    });
    expect(search.end! - search.start).toBe(63);
    expect(search.output).toMatch(/^logs\/pump\.log:2: 02:10 WARN/);
    expect(search.output).not.toContain('untrusted-content');
    expect(calls.map(({ kind }) => kind).join(' ')).toBe(
      'driver tool tool driver tool driver skill driver tool driver tool driver',
    );
  });

  test.each([
    ['the trace and the conversation', (frame: Frame) => frame.type === 'trace' || frame.type === 'message'],
    ['notices and the conversation', (frame: Frame) => frame.type === 'note' || frame.type === 'message'],
    ['everything but notices', (frame: Frame) => frame.type !== 'note'],
  ])('are the same calls from %s', (_, known) => {
    const some = callsOf(entriesOf(told.frames.filter(known)));
    const essence = (all: typeof calls) =>
      all.map(({ kind, name, turn, status, output, input }) => ({
        kind: kind === 'driver' ? kind : 'call',
        name,
        turn,
        status,
        output,
        input,
      }));
    expect(essence(some)).toEqual(essence(calls));
    for (const [index, call] of some.entries()) {
      expect(Math.abs(call.end! - call.start - (calls[index]!.end! - calls[index]!.start))).toBeLessThan(45);
    }
  });

  test('run until something says that they ended', () => {
    const cut = told.frames.findIndex((frame) => frame.type === 'trace' && frame.line.tool_call_id === 'call_2_1');
    const last = callsOf(entriesOf(told.frames.slice(0, cut))).at(-1)!;
    expect(last).toMatchObject({ callId: 'call_2_1', status: 'running', end: null, output: null });
    expect(last.input).toMatchObject({ action: 'search' });
  });

  test('the same call id in two tasks is two calls', () => {
    const other = told.frames.map(
      (frame) =>
        JSON.parse(
          JSON.stringify(frame)
            .replaceAll('tsk_01a2278ec3ed7031930314d501fb9288', 'tsk_other')
            .replaceAll('evt_', 'evt_b')
            .replaceAll('msg_', 'msg_b'),
        ) as Frame,
    );
    expect(callsOf(entriesOf([...told.frames, ...other]))).toHaveLength(calls.length * 2);
  });

  test('a failed driver call keeps its code and words', () => {
    const line = {
      event_type: 'inference',
      event_id: 'evt_f',
      task_id: 't',
      turn: 0,
      decision: 'error',
      error_code: 'driver_error',
      error: 'status 529',
      timestamp: 5,
    };
    const [call] = callsOf([{ type: 'trace', q: 1, sys: SESSION, at: 5, line }]);
    expect(call).toMatchObject({
      kind: 'driver',
      status: 'error',
      code: 'driver_error',
      error: 'status 529',
      tokens: null,
    });
  });

  test('a command shows its exit code', () => {
    const line = {
      event_type: 'shell',
      event_id: 'evt_s',
      task_id: 't',
      turn: 0,
      binary: 'git',
      command: 'git status',
      exit_code: 128,
      stdout_bytes: 0,
      stderr_bytes: 40,
      duration_ms: 12,
      timestamp: 50,
    };
    expect(callsOf([{ type: 'trace', q: 1, sys: SESSION, at: 50, line }])[0]).toMatchObject({
      ...{ kind: 'shell', name: 'git', status: 'error', exitCode: 128, start: 38, end: 50, outBytes: 40 },
    });
  });

  test('a command in the background runs until it is told how it ended', () => {
    const facts = { work_id: 'wrk_1', binary: 'make', command: 'all' };
    const moved = { event_type: 'shell_detached', event_id: 'a', task_id: 't', turn: 0, ...facts, grace_ms: 10 };
    const over = {
      event_type: 'shell_completed',
      event_id: 'b',
      ...facts,
      exit_code: 0,
      duration_ms: 90,
      output_bytes: 7,
    };
    const killed = { event_type: 'shell_abandoned', event_id: 'c', ...facts, running_ms: 90 };
    const told = (...lines: { readonly event_type: string }[]) =>
      callsOf(
        lines.map((line, q) => ({ type: 'trace', q, sys: SESSION, at: 50, line: { ...line, timestamp: 50 + 80 * q } })),
      );
    const command = { kind: 'shell', name: 'make', taskId: 't', input: 'all', start: 40 };
    expect(told(moved)).toMatchObject([{ ...command, status: 'running', end: null }]);
    expect(told(moved, over)).toMatchObject([{ ...command, status: 'ok', end: 130, exitCode: 0, outBytes: 7 }]);
    expect(told(moved, killed)).toMatchObject([{ ...command, status: 'error', end: 130, exitCode: null }]);
  });

  test('tokens are summed up to the moment', () => {
    expect(spentBy(calls, Number.POSITIVE_INFINITY)).toMatchObject({ input: 8_718, output: 963 });
    expect(spentBy(calls, calls[0]!.end!)).toMatchObject({ input: 679, output: 264 });
    expect(spentBy(calls, 0)).toMatchObject({ input: 0, output: 0 });
  });
});

describe('the fence', () => {
  test('is taken off when the runtime put it there, and text after it stays', () => {
    const fenced = '<untrusted-content source=tool:x>\na\nb\n</untrusted-content>\nnote of the runtime';
    expect(unfenced(fenced, 'tool:x')).toBe('a\nb\nnote of the runtime');
  });

  test('an imitation inside trusted text is left as it is', () => {
    const text = '<untrusted-content source=tool:x>\na\n</untrusted-content>';
    expect(unfenced(text, undefined)).toBe(text);
    expect(unfenced('no fence at all', 'tool:x')).toBe('no fence at all');
  });
});

describe('the story', () => {
  const [task] = storyOf(whole, calls);
  test('has the task, its turns, and in each what was thought, said and called', () => {
    expect(task).toMatchObject({ text: 'Why did the pump stop?', source: 'task_md', status: 'ok' });
    expect(task!.turns.map(({ blocks, calls: of }) => [blocks.map(({ kind }) => kind).join(' '), of.length])).toEqual([
      ['thinking text', 2],
      ['text', 1],
      ['thinking text', 1],
      ['text', 1],
      ['text', 1],
      ['text', 0],
    ]);
    expect(task!.turns[5]!.blocks[0]!.text).toContain('(From report.md in the work folder.)');
  });

  test('a task whose beginning is no longer kept says so', () => {
    const rest = whole.slice(150);
    const [late] = storyOf(rest, callsOf(rest));
    expect(late).toMatchObject({ text: null, status: 'ok' });
  });

  test('one line says what a call was asked', () => {
    expect(summaryOf({ action: 'write', path: 'a.md', content: 'x\ny' })).toBe('write a.md content=x y');
    expect(summaryOf({ a: 'y'.repeat(500) })).toHaveLength(91);
    expect(summaryOf('ls -l\u202e')).toBe('ls -l<U+202E>');
  });
});

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HeldDirectory } from '../../src/home/types.js';
import { type Clock, systemClock } from '../../src/supervise/clock.js';
import { isId, mintId } from '../../src/supervise/ids.js';
import { isEvent, type ReadLine, readTrace, TraceWriter } from '../../src/trace/index.js';
import { heldFolder } from '../home/temporary.js';
import { call, inference, sessionEnd, sessionStart, taskEnd, taskStart } from './samples.js';

const sessionId = mintId('ses');

function open(records: HeldDirectory, clock: Clock = systemClock, onLostLine?: (message: string) => void): TraceWriter {
  const writer = new TraceWriter({ records, sessionId, clock, ...(onLostLine === undefined ? {} : { onLostLine }) });
  onTestFinished(async () => writer.close());
  return writer;
}

function linesOf(records: HeldDirectory): ReadLine[] {
  return [...readTrace(join(records.path, 'trace.jsonl'))].map((item) => {
    if (item.kind === 'warning') throw new Error(item.reason);
    return item.event;
  });
}

describe('a trace line', () => {
  test('leads with the five keys, then the documented ones in order, whatever order they were given in', () => {
    const records = heldFolder();
    const writer = open(records);
    writer.write('session_start', sessionStart);
    const { task_id, ...rest } = taskStart('tsk_1');
    writer.write('task_start', { ...rest, task_id });
    const [, line] = linesOf(records);
    expect(Object.keys(line ?? {})).toEqual([
      'event_type',
      'event_id',
      'parent_id',
      'session_id',
      'timestamp',
      'task_id',
      'context_id',
      'source',
      'origin',
      'trust',
      'lane',
      'message_parts_bytes',
    ]);
  });

  test('leaves optional keys out and writes nullable ones', () => {
    const records = heldFolder();
    open(records).write('inference', { ...inference('tsk_1', 0), stop_reason: undefined, tool_name: null });
    const [line] = linesOf(records);
    expect(line).not.toHaveProperty('stop_reason');
    expect(line).toHaveProperty('tool_name', null);
  });

  test('carries an id that is unique and sorts by creation, also when the clock steps back', () => {
    const records = heldFolder();
    let now = Date.now();
    const writer = open(records, { ...systemClock, now: () => (now -= 1000) });
    for (let index = 0; index < 50; index += 1) writer.write('session_end', sessionEnd);
    const ids = linesOf(records).map((line) => line.event_id as string);
    expect(ids.every((id) => isId('evt', id))).toBe(true);
    expect([...new Set(ids)].sort()).toEqual(ids);
  });

  test('is returned as it stands in the file', () => {
    const records = heldFolder();
    const line = open(records).write('session_start', sessionStart);
    expect(linesOf(records)).toEqual([JSON.parse(JSON.stringify(line))]);
    expect(isEvent('session_start', linesOf(records)[0]!)).toBe(true);
  });

  test('is one line whatever its values hold', () => {
    const records = heldFolder();
    const writer = open(records);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        writer.write('tool_call', { ...call('tsk_1', 0), input: { text }, error: text });
      }),
    );
    expect(readFileSync(join(records.path, 'trace.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(
      linesOf(records).length,
    );
  });
});

describe('the parent of a line', () => {
  test('is the session, the task or the turn, as the event asks', () => {
    const records = heldFolder();
    const writer = open(records);
    const session = writer.write('session_start', sessionStart);
    const received = writer.write('a2a_task_received', {
      task_id: 'tsk_1',
      context_id: 'ctx_1',
      message_id: 'msg_1',
      traceparent_from_caller: null,
    });
    const task = writer.write('task_start', taskStart('tsk_1'));
    const early = writer.write('inference', { ...inference('tsk_1', 0), origin: 'hook:guard' });
    const turn = writer.write('inference', inference('tsk_1', 0));
    const tool = writer.write('tool_call', call('tsk_1', 0));
    const refreshed = writer.write('tools_refreshed', {
      turn: 1,
      task_id: 'tsk_1',
      trigger: 'immediate',
      added: ['x'],
      removed: [],
      tools: ['x'],
    });
    const late = writer.write('inference', { ...inference('tsk_1', 1), origin: 'hook:guard' });
    const next = writer.write('inference', inference('tsk_1', 1));
    const failed = writer.write('task_failed', { task_id: 'tsk_1', cause: 'driver_error', reason: 'x' });
    const ended = writer.write('task_end', taskEnd('tsk_1'));
    const end = writer.write('session_end', sessionEnd);

    expect(session.parent_id).toBeNull();
    for (const line of [received, task, end]) expect(line.parent_id).toBe(session.event_id);
    for (const line of [early, turn, refreshed, next, failed, ended]) expect(line.parent_id).toBe(task.event_id);
    for (const line of [tool, late]) expect(line.parent_id).toBe(turn.event_id);
  });

  test('of a task cancelled before it started is the session', () => {
    const writer = open(heldFolder());
    const session = writer.write('session_start', sessionStart);
    const canceled = writer.write('task_canceled', {
      task_id: 'tsk_9',
      phase: 'queued',
      detached_work_ids: [],
      delegation_ids: [],
    });
    expect(canceled.parent_id).toBe(session.event_id);
  });

  test('of a turn-level line without a task is the session', () => {
    const writer = open(heldFolder());
    const session = writer.write('session_start', sessionStart);
    const ceiling = writer.write('spend_ceiling_reached', {
      turn: 0,
      task_id: null,
      limit: 'session',
      ceiling: 1,
      used: 1,
      requested: 0,
    });
    expect(ceiling.parent_id).toBe(session.event_id);
  });

  test('is null throughout a trace without session_start, as script capsules write it', () => {
    const writer = open(heldFolder());
    expect(writer.write('component_deadline', { kind: 'capsule', name: 'x', limit_seconds: 1 }).parent_id).toBeNull();
  });

  test('two tasks keep their own turns', () => {
    const writer = open(heldFolder());
    writer.write('session_start', sessionStart);
    writer.write('task_start', taskStart('tsk_1'));
    writer.write('task_start', taskStart('tsk_2'));
    const first = writer.write('inference', inference('tsk_1', 0));
    const second = writer.write('inference', inference('tsk_2', 0));
    expect(writer.write('tool_call', call('tsk_1', 0)).parent_id).toBe(first.event_id);
    expect(writer.write('tool_call', call('tsk_2', 0)).parent_id).toBe(second.event_id);
  });

  test('every parent is a line written before', () => {
    const step = fc.record({
      task: fc.integer({ min: 1, max: 3 }),
      kind: fc.constantFrom('start', 'turn', 'call', 'end'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const records = heldFolder();
        const writer = open(records);
        const seen = new Set<string | null>([writer.write('session_start', sessionStart).event_id]);
        for (const { task, kind } of steps) {
          const id = `tsk_${task}`;
          const line =
            kind === 'start'
              ? writer.write('task_start', taskStart(id))
              : kind === 'turn'
                ? writer.write('inference', inference(id, 0))
                : kind === 'call'
                  ? writer.write('tool_call', call(id, 0))
                  : writer.write('task_end', taskEnd(id));
          expect(seen).toContain(line.parent_id);
          seen.add(line.event_id);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('a trace file', () => {
  test('exists, empty and 0600, as soon as it is opened', () => {
    const records = heldFolder();
    open(records);
    const facts = statSync(join(records.path, 'trace.jsonl'));
    expect([facts.size, facts.mode & 0o777]).toEqual([0, 0o600]);
  });

  test('a write that fails ends the session, except for the lines that may be lost', async () => {
    const lost = vi.fn();
    const writer = open(heldFolder(), systemClock, lost);
    await writer.close();
    expect(() => writer.write('session_end', sessionEnd)).toThrow(expect.objectContaining({ code: 'E-RUN-007' }));
    expect(lost).not.toHaveBeenCalled();
    writer.write('compaction', { turn: 0, task_id: null, tokens_before: 2, tokens_after: 1 });
    expect(lost).toHaveBeenCalledWith(expect.stringContaining('compaction'));
  });

  test('flush resolves after everything before it was written, and close may be repeated', async () => {
    const writer = open(heldFolder());
    writer.write('task_end', taskEnd('tsk_1'));
    await writer.flush();
    await writer.close();
    await writer.close();
  });
});

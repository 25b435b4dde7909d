import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/supervise/clock.js';
import { mintId } from '../../src/supervise/ids.js';
import { isEvent, readTrace, TraceWriter } from '../../src/trace/index.js';
import { heldFolder } from '../home/temporary.js';
import { call, inference, sessionStart, taskStart } from './samples.js';

const sessionId = mintId('ses');

test('71: cut at every byte of the last two lines, a trace reads and takes the next line whole', async () => {
  const records = heldFolder();
  const path = join(records.path, 'trace.jsonl');
  const writer = new TraceWriter({ records, sessionId, clock: systemClock });
  writer.write('session_start', sessionStart);
  writer.write('task_start', taskStart('tsk_1'));
  writer.write('inference', inference('tsk_1', 0));
  writer.write('tool_call', { ...call('tsk_1', 0), input: { text: 'é😀' } });
  await writer.close();
  const whole = readFileSync(path);
  const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a);

  const closing: Promise<void>[] = [];
  for (let cut = ends[1]! + 1; cut <= whole.length; cut += 1) {
    writeFileSync(path, whole.subarray(0, cut));
    const expected = ends.filter((end) => end < cut).length + (ends.includes(cut) ? 1 : 0);
    const before = [...readTrace(path)];
    expect(before.filter((item) => item.kind === 'event')).toHaveLength(expected);
    expect(before.some((item) => item.kind === 'warning')).toBe(whole[cut - 1] !== 0x0a);

    const again = new TraceWriter({ records, sessionId, clock: systemClock });
    again.write('component_deadline', { kind: 'tool', name: 'x', limit_seconds: 1 });
    closing.push(again.close());
    const events = [...readTrace(path)].flatMap((item) => (item.kind === 'event' ? [item.event] : []));
    expect(events).toHaveLength(expected + 1);
    expect(isEvent('component_deadline', events.at(-1)!)).toBe(true);
  }
  await Promise.all(closing);
});

test('unknown events and unknown keys are events like any other', () => {
  const records = heldFolder();
  const path = join(records.path, 'trace.jsonl');
  const known = JSON.stringify({
    event_type: 'component_deadline',
    kind: 'tool',
    name: 'x',
    limit_seconds: 3,
    extra: true,
  });
  writeFileSync(path, `{"event_type":"from_the_future","x":1}\n${known}\n{"no":"type"}\n`);
  const items = [...readTrace(path)];
  expect(items.map((item) => item.kind)).toEqual(['event', 'event', 'warning']);
  expect(items[0]).toMatchObject({ event: { event_type: 'from_the_future', x: 1 } });
  expect(items[1]?.kind === 'event' && isEvent('component_deadline', items[1].event)).toBe(true);
});

test('an event that lacks a required key, or has it with another type, is not taken for that event', () => {
  const whole = { event_type: 'task_end', ...taskStart('tsk_1') };
  expect(isEvent('task_end', whole)).toBe(false);
  expect(isEvent('task_start', { ...whole, event_type: 'task_start' })).toBe(true);
  expect(isEvent('task_start', { ...whole, event_type: 'task_start', lane: 'express' })).toBe(false);
});

const built = new URL('../../dist/src/', import.meta.url);

// Runs the built files, because only a whole process can be killed. `npm test` builds first.
test.runIf(existsSync(new URL('trace/index.js', built)))(
  '53: kill -9 while lines are written leaves a trace that reads',
  async () => {
    const records = heldFolder();
    const script = `
    const { holdDirectory } = await import('${new URL('home/index.js', built).href}');
    const { TraceWriter } = await import('${new URL('trace/index.js', built).href}');
    const writer = new TraceWriter({ records: holdDirectory('.'), sessionId: '${sessionId}', clock: Date });
    for (let line = 0; ; line += 1) {
      if (line === 100) process.stdout.write('writing');
      writer.write('component_deadline', { kind: 'tool', name: 'x'.repeat(5000), limit_seconds: 1 });
    }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: records.path,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const items = [...readTrace(join(records.path, 'trace.jsonl'))];
    const warnings = items.filter((item) => item.kind === 'warning');
    expect(items.length - warnings.length).toBeGreaterThanOrEqual(100);
    expect(warnings.every((warning) => warning.line === items.at(-1)?.line)).toBe(true);
  },
);

/** The rules of spec/trace.md sections 1 to 3 that any finished trace of this build obeys, as one check. */
import { expect } from 'vitest';
import { traceEvents } from '../../src/trace/index.js';
import type { Line } from './run.js';

const leading = ['event_type', 'event_id', 'parent_id', 'session_id', 'timestamp'];

export function expectTraceRules(lines: readonly Line[]): void {
  expectLines(lines);
  expectTree(lines);
  expectOrder(lines);
  expectSums(lines);
}

const of = (lines: readonly Line[], ...types: string[]): Line[] =>
  lines.filter(({ event_type }) => types.includes(event_type));

/** Section 1: the five leading keys, then the event's own in documented order; ids unique and sorted; one session. */
function expectLines(lines: readonly Line[]): void {
  for (const line of lines) {
    const keys = Object.keys(line);
    expect(keys.slice(0, 5)).toEqual(leading);
    const documented = Object.keys(traceEvents[line.event_type as keyof typeof traceEvents].keys);
    expect(keys.slice(5)).toEqual(documented.filter((key) => keys.includes(key)));
  }
  const ids = lines.map((line) => line.event_id as string);
  expect([...new Set(ids)].sort()).toEqual(ids);
  expect(new Set(lines.map((line) => line.session_id)).size).toBe(1);
}

/** Section 2: one tree, every parent written before its child, and of the kind its level asks for. */
function expectTree(lines: readonly Line[]): void {
  const typeOf = new Map<unknown, string>();
  for (const line of lines) {
    const { level } = traceEvents[line.event_type as keyof typeof traceEvents];
    const parent = typeOf.get(line.parent_id);
    if (line.event_type === 'session_start') expect(line.parent_id).toBeNull();
    else if (level === 'session') expect(parent).toBe('session_start');
    else if (level === 'task') expect(['task_start', 'session_start']).toContain(parent);
    else expect(['inference', 'task_start', 'session_start']).toContain(parent);
    typeOf.set(line.event_id, line.event_type);
  }
}

/** Section 3, rules 1 to 4. */
function expectOrder(lines: readonly Line[]): void {
  expect(lines[0]?.event_type).toBe('session_start');
  expect(of(lines, 'session_start')).toHaveLength(1);
  expect(lines.at(-1)?.event_type).toBe('session_end');
  expect(of(lines, 'session_end')).toHaveLength(1);
  const afterStart = lines.slice(1).findIndex(({ event_type }) => event_type !== 'retention');
  expect(of(lines.slice(1 + afterStart), 'retention')).toEqual([]);
  for (const { task_id: id } of of(lines, 'task_start')) {
    const own = lines.filter((line) => line.task_id === id).map(({ event_type }) => event_type);
    const received = own.indexOf('a2a_task_received');
    expect(received).toBe(own.includes('a2a_task_received') ? 0 : -1);
    expect(own[received + 1]).toBe('task_start');
    expect(own.at(-1)).toBe('task_end');
    expect(own.filter((type) => type === 'task_end')).toHaveLength(1);
    if (own.includes('task_failed')) expect(own.at(-2)).toBe('task_failed');
    expectTurns(lines.filter((line) => line.task_id === id));
  }
}

/** Rule 4: a turn's model call comes before its calls, turns count from 0, and a refusal's line before the call it refuses. */
function expectTurns(lines: readonly Line[]): void {
  let turn = -1;
  for (const [index, line] of lines.entries()) {
    if (line.event_type === 'inference') {
      expect(line.turn).toBe(turn + 1);
      turn += 1;
    } else if ('turn' in line) expect(line.turn).toBe(turn);
    if (line.event_type !== 'tool_input_refused') continue;
    expect(lines[index + 1]).toMatchObject({ event_type: 'tool_call', tool_call_id: line.tool_call_id });
  }
}

/** Rule 7: totals are sums of what the tasks say, which are counts of lines. */
function expectSums(lines: readonly Line[]): void {
  const sum = (among: readonly Line[], key: string): number =>
    among.reduce((total, line) => total + ((line[key] as number | undefined) ?? 0), 0);
  const ends = of(lines, 'task_end');
  const counted = (among: readonly Line[]): Line[] =>
    of(among, 'inference').filter((line) => line.origin === undefined && line.input_tokens !== undefined);
  for (const end of ends) {
    const own = lines.filter((line) => line.task_id === end.task_id);
    expect(end).toMatchObject({
      turns: counted(own).length,
      input_tokens: sum(counted(own), 'input_tokens'),
      output_tokens: sum(counted(own), 'output_tokens'),
      tool_calls: of(own, 'tool_call').length,
      shell_calls: of(own, 'shell', 'shell_detached').length,
    });
  }
  expect(of(lines, 'session_end')[0]).toMatchObject({
    total_turns: sum(ends, 'turns'),
    total_input_tokens: sum(ends, 'input_tokens'),
    total_output_tokens: sum(ends, 'output_tokens'),
    total_tool_calls: sum(ends, 'tool_calls'),
    total_shell_calls: sum(ends, 'shell_calls'),
  });
}

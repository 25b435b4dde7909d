import { describe, expect, test } from 'vitest';
import { toolCallMachine, turnMachine } from '../../machines/index.js';
import { broke, done, type Fact, fold, valueText } from './table.js';

const fault = { code: 'E-RUN-007', message: 'no' };
const prepared = done('prepare', null);
const wants = (...names: string[]): Fact =>
  done('infer', { decision: 'tool_call', calls: names.map((name) => ({ callId: `id_${name}`, name })) });
const called = done('tool-call', { callId: 'x', status: 'ok', fault: null });
const committed = done('commit', null);

const turn = (facts: Fact[]) => {
  const snapshot = fold(turnMachine, { taskId: 'tsk_a', turn: 0 }, facts);
  return { state: valueText(snapshot.value), output: snapshot.output, context: snapshot.context };
};

describe('a turn', () => {
  test('that ends the conversation commits and says ok', () => {
    const facts = [prepared, done('infer', { decision: 'end_turn' }), committed];
    expect(turn(facts)).toMatchObject({ state: 'done', output: { status: 'ok', fault: null } });
  });

  test('that answers while more was said commits and goes on', () => {
    const facts = [prepared, done('infer', { decision: 'go_on' })];
    expect(turn(facts)).toMatchObject({ state: 'committing', context: { status: null } });
    expect(turn([...facts, committed])).toMatchObject({ state: 'done', output: { status: null, fault: null } });
  });

  test('with tool calls runs them one at a time, in call order, and goes on', () => {
    const first = turn([prepared, wants('one', 'two')]);
    expect(first).toMatchObject({ state: 'dispatching', context: { nextCall: 0 } });
    const second = turn([prepared, wants('one', 'two'), called]);
    expect(second).toMatchObject({ state: 'dispatching', context: { nextCall: 1 } });
    const last = turn([prepared, wants('one', 'two'), called, called, committed]);
    expect(last).toMatchObject({ state: 'done', output: { status: null, fault: null } });
  });

  test('whose model call fails ends with its status and commits nothing', () => {
    const facts = [prepared, done('infer', { decision: 'failed', status: 'spend_ceiling_reached', fault })];
    expect(turn(facts)).toMatchObject({ state: 'done', output: { status: 'spend_ceiling_reached', fault } });
  });

  test.each([
    ['prepare', [broke('prepare', fault)]],
    ['infer', [prepared, broke('infer', fault)]],
    ['the call', [prepared, wants('one'), broke('tool-call', fault)]],
    [
      'a call that reports a fault',
      [prepared, wants('one'), done('tool-call', { callId: 'x', status: 'error', fault })],
    ],
    ['commit', [prepared, wants('one'), called, broke('commit', fault)]],
  ] as const)('fails with the fault when %s breaks', (_, facts) => {
    expect(turn([...facts])).toMatchObject({ state: 'done', output: { status: 'failed', fault } });
  });

  test('a tool error is a result, so the turn goes on', () => {
    const failed = done('tool-call', { callId: 'x', status: 'error', fault: null });
    expect(turn([prepared, wants('one'), failed, committed]).output.status).toBe(null);
  });
});

const call = (facts: Fact[]) => {
  const snapshot = fold(toolCallMachine, { taskId: 'tsk_a', turn: 0, index: 0, callId: 'id', name: 'one' }, facts);
  return { state: valueText(snapshot.value), output: snapshot.output };
};
const rest = [done('fence', null), done('record', null)];

describe('a tool call', () => {
  test.each(['wasm', 'native', 'shell', 'skill', 'builtin'])('admitted as %s runs, is fenced and recorded', (route) => {
    const admitted = [done('admit', { route })];
    expect(call(admitted).state).toBe(`running.${route}`);
    expect(call([...admitted, done('run', { status: 'ok' }), ...rest])).toEqual({
      state: 'done',
      output: { callId: 'id', status: 'ok', fault: null },
    });
  });

  test('that is refused runs nothing and is recorded as an error', () => {
    expect(call([done('admit', { route: 'refused' })]).state).toBe('recorded');
    expect(call([done('admit', { route: 'refused' }), done('record', null)]).output.status).toBe('error');
  });

  test.each(['admit', 'run', 'fence', 'record'])('ends with a fault when %s breaks', (id) => {
    const before: Record<string, Fact[]> = {
      admit: [],
      run: [done('admit', { route: 'wasm' })],
      fence: [done('admit', { route: 'wasm' }), done('run', { status: 'ok' })],
      record: [done('admit', { route: 'wasm' }), done('run', { status: 'ok' }), done('fence', null)],
    };
    expect(call([...before[id]!, broke(id, fault)])).toMatchObject({
      state: 'failed',
      output: { status: 'error', fault },
    });
  });
});

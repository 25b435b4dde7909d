import { describe, expect, test } from 'vitest';
import { taskMachine } from '../../machines/index.js';
import { broke, done, type Fact, fold, valueText } from './table.js';

const input = { taskId: 'tsk_a', contextId: 'ctx_a', source: 'a2a' as const, maxTurns: 2 };
const fault = { code: 'E-RUN-040', message: 'no' };
const begun = done('begin', { ok: true });
const goesOn = done('turn', { status: null, fault: null });
const ends = (status: string): Fact => done('turn', { status, fault: status === 'ok' ? null : fault });
const end = done('end', null);
const cancel: Fact = { type: 'task.cancel.requested' };

const at = (facts: Fact[]) => {
  const snapshot = fold(taskMachine, input, facts);
  return { state: valueText(snapshot.value), output: snapshot.output, context: snapshot.context };
};

describe('a task', () => {
  test.each([
    ['an answer', [begun, ends('ok'), end], 'completed', 'ok', 1],
    ['an answer in its last turn', [begun, goesOn, ends('ok'), end], 'completed', 'ok', 2],
    ['no answer within its turns', [begun, goesOn, goesOn, end], 'failed', 'max_turns_reached', 2],
    ['a failed model call', [begun, ends('failed'), end], 'failed', 'failed', 1],
    ['a refusal to begin', [done('begin', { ok: false, fault }), end], 'failed', 'failed', 0],
    ['a broken effect', [begun, broke('turn', new Error('bug')), end], 'failed', 'failed', 0],
    ['a cancel before its first turn', [cancel, end], 'canceled', 'canceled', 0],
    ['a cancel in a turn', [begun, cancel, end], 'canceled', 'canceled', 0],
    [
      'a cancel while it waits for input',
      [begun, { type: 'input.requested', prompt: '?' }, cancel, end],
      'canceled',
      'canceled',
      0,
    ],
  ] as const)('with %s ends once', (_, facts, state, status, turns) => {
    expect(at([...facts])).toMatchObject({ state, output: { status, turns } });
  });

  test('keeps its status when the last lines cannot be written', () => {
    expect(at([begun, ends('ok'), broke('end', new Error('disk full'))])).toMatchObject({
      state: 'failed',
      output: { fault: { message: 'disk full' } },
    });
  });

  test('waits for input and goes back to work', () => {
    const asked = [begun, { type: 'input.requested', prompt: 'which?' }];
    expect(at(asked).state).toContain('attention.input-required');
    expect(at([...asked, { type: 'input.received' }]).state).toContain('attention.working');
  });

  test('names the turn budget it ran out of', () => {
    expect(at([begun, goesOn, goesOn, end]).output.fault.message).toBe('inference loop exceeded 2 turns');
  });

  test('ignores a cancel that comes after its end', () => {
    expect(at([begun, ends('ok'), cancel, end]).output.status).toBe('ok');
  });
});

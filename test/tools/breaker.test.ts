import { describe, expect, test } from 'vitest';
import { type CallResult, observeResult, type Repetition } from '../../src/tools/index.js';

function notesFor(results: readonly CallResult[]): (string | undefined)[] {
  let state: Repetition | undefined;
  return results.map((result) => {
    const observed = observeResult(state, result);
    state = observed.state;
    return observed.note;
  });
}

const bad: CallResult = { name: 'read', inputText: '{"path":"nope"}', isError: true };

describe('observeResult (cases/reports row 57)', () => {
  test('says nothing twice, then says it every time, with the count', () => {
    const notes = notesFor(Array<CallResult>(50).fill(bad));
    expect(notes.slice(0, 2)).toEqual([undefined, undefined]);
    expect(notes.slice(2).every((note) => note?.includes("'read'"))).toBe(true);
    expect(notes[2]).toContain('3 times in a row');
    expect(notes[49]).toContain('50 times in a row');
  });

  test.each<[string, CallResult]>([
    ['success', { ...bad, isError: false }],
    ['failure of another input', { ...bad, inputText: '{}' }],
    ['failure of another tool', { ...bad, name: 'list' }],
  ])('starts over after a %s', (_, other) => {
    expect(notesFor([bad, bad, other, bad, bad])).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  test('does not confuse where a name ends and an input begins', () => {
    const split = (name: string, inputText: string) => ({ name, inputText, isError: true });
    expect(notesFor([split('a', 'bc'), split('ab', 'c'), split('abc', '')])).toEqual([undefined, undefined, undefined]);
  });
});

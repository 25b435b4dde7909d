import { expect, test } from 'vitest';
import { callBlock } from '../../../artifacts/lib/tool-call.js';

test('no argument text means no arguments', () => {
  expect(callBlock('c', 'f', ' ', false)).toEqual({ type: 'tool_call', id: 'c', name: 'f', input: {} });
});

test.each([['{"path":"a'], ['nonsense']])(
  'E56: arguments that are no JSON stay text, never an empty object: %s',
  (text) => {
    expect(callBlock('c', 'f', text, false)).toMatchObject({ input: text });
  },
);

test.each([
  ['[]', []],
  ['null', null],
])('E56: arguments that are JSON but no object stay what they are: %s', (text, input) => {
  expect(callBlock('c', 'f', text, false)).toMatchObject({ input });
});

test('E58: a call cut off by the output cap is an error that names the tool and the setting', () => {
  expect(() => callBlock('c', 'write', '{"path":"a', true)).toThrow(/tool write.*inference\.max_tokens/);
});

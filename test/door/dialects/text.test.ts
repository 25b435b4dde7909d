/** How the parts of a message become text, where somebody tries to make much out of little. */
import { expect, it } from 'vitest';
import { dataText } from '../../../src/door/dialects/text.js';

it('indents data that a person could read, and only that: much of it, nested, would grow a hundredfold', () => {
  expect(dataText({ a: [1] })).toBe('```data\n{\n  "a": [\n    1\n  ]\n}\n```');
  let deep: unknown = Array.from({ length: 50_000 }, () => 1);
  for (let level = 0; level < 200; level += 1) deep = [deep];
  expect(dataText(deep).length).toBeLessThan(JSON.stringify(deep).length + 20);
});

it('closes no fence early, however many runs of backticks there are', () => {
  const text = dataText({ a: '`b'.repeat(1_000_000), c: '`````' });
  expect(text.startsWith('``````data\n')).toBe(true);
  expect(text.endsWith('\n``````')).toBe(true);
});

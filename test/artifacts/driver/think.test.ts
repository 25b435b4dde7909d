import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ThinkSplitter } from '../../../artifacts/mur-driver-openai/src/chat/think.js';

function split(pieces: readonly string[]): { text: string; thinking: string } {
  const splitter = new ThinkSplitter();
  const joined = { text: '', thinking: '' };
  for (const { type, text } of [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()])
    joined[type] += text;
  return joined;
}

const sample = '<think>why < so <thi</think>Because 1 < 2 </think> <think>again</think>end <thin';

test('tells thinking and text apart for every split', () => {
  const expected = { thinking: 'why < so <thiagain', text: 'Because 1 < 2 </think> end <thin' };
  expect(split([sample])).toEqual(expected);
  for (let at = 0; at <= sample.length; at++) expect(split([sample.slice(0, at), sample.slice(at)])).toEqual(expected);
  expect(split([...sample])).toEqual(expected);
});

test('gives text without tags back unchanged, whatever the pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (pieces) => {
      fc.pre(!pieces.join('').includes('<think>'));
      expect(split(pieces)).toEqual({ text: pieces.join(''), thinking: '' });
    }),
  );
});

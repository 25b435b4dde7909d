import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ServerSentEvent, SseParser } from '../../../artifacts/lib/sse.js';

function parse(pieces: readonly string[]): ServerSentEvent[] {
  const parser = new SseParser();
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()];
}

const stream =
  '\ufeff: hello\nevent: a\r\ndata: {"x":1}\r\rdata:one\ndata\ndata: two\n\nid: 7\nretry: 5\n\nevent: none\n\ndata:  kept\r\n\r\n';
const events = [
  { event: 'a', data: '{"x":1}' },
  { event: 'message', data: 'one\n\ntwo' },
  { event: 'message', data: ' kept' },
];

test('reads fields, comments, all three line ends and multi-line data as the standard says', () => {
  expect(parse([stream])).toEqual(events);
});

test('gives the same events for every two-piece split', () => {
  for (let at = 0; at <= stream.length; at++) expect(parse([stream.slice(0, at), stream.slice(at)])).toEqual(events);
});

test('gives the same events character by character and for any split', () => {
  expect(parse([...stream])).toEqual(events);
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (places) => {
      const cuts = [0, ...places.sort((a, b) => a - b), stream.length];
      expect(parse(cuts.slice(1).map((to, index) => stream.slice(cuts[index], to)))).toEqual(events);
    }),
  );
});

test('gives the event that a stream without a last empty line left open', () => {
  expect(parse(['data: [DONE]'])).toEqual([{ event: 'message', data: '[DONE]' }]);
  expect(parse(['data: x\r'])).toEqual([{ event: 'message', data: 'x' }]);
});

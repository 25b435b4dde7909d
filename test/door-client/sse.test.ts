import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventParser } from '../../src/door-client/index.js';

const all = (text: string) => new EventParser().push(text);

describe('the parser of a stream', () => {
  it('reads id, event and data, and leaves comments and unknown fields out', () => {
    expect(all(':heartbeat\n\nid: 7\nevent: status\ndata: {"a":1}\nretry: 5\n\n')).toEqual([
      { id: '7', event: 'status', data: '{"a":1}' },
    ]);
  });

  it('joins lines of data, takes one space off, and names an event without a name message', () => {
    expect(all('data:  a\ndata:b\ndata\n\n')).toEqual([{ event: 'message', data: ' a\nb\n' }]);
  });

  it('keeps the last id for events that have none', () => {
    expect(all('id: 1\ndata: a\n\ndata: b\n\n').map(({ id }) => id)).toEqual(['1', '1']);
  });

  it('gives nothing for an event that never ended', () => {
    expect(all('id: 1\ndata: a\n')).toEqual([]);
  });

  it('reads the same whatever the line ends are and wherever the pieces are cut', () => {
    const event = fc.record({ id: fc.nat().map(String), event: fc.stringMatching(/^[a-z-]{1,9}$/), data: fc.json() });
    const cuts = fc.array(fc.nat(400), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 5 }), cuts, fc.constantFrom('\n', '\r\n', '\r'), (events, at, eol) => {
        const text = events
          .map(({ id, event, data }) =>
            [`id: ${id}`, `event: ${event}`, `data: ${data}`, ':heartbeat', '', ''].join(eol),
          )
          .join('');
        const parser = new EventParser();
        const edges = [0, ...at.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const read = edges.slice(1).flatMap((end, index) => parser.push(text.slice(edges[index], end)));
        // A carriage return at the end may still be half of a line end.
        expect([...read, ...parser.push('x')]).toEqual(events);
      }),
    );
  });
});

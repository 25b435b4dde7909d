import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerTo, parseQuery, typeA } from '../../../src/containment/egress/dns.js';
import { Names } from '../../../src/containment/egress/names.js';
import { Refusals } from '../../../src/containment/egress/refusals.js';
import { answer, rate } from '../../../src/containment/egress/resolver.js';

function query(
  labels: readonly (string | Uint8Array)[],
  { type = typeA, head = [1, 0], count = 1, tail = [] as number[] } = {},
) {
  const name = labels.flatMap((label) => {
    const bytes = typeof label === 'string' ? new TextEncoder().encode(label) : label;
    return [bytes.length, ...bytes];
  });
  return Uint8Array.from([0xab, 0xcd, ...head, 0, count, 0, 0, 0, 0, 0, 0, ...name, 0, 0, type, 0, 1, ...tail]);
}

const rcodeOf = (reply: Uint8Array | undefined) => (reply === undefined ? undefined : reply[3]! & 0x0f);
const names = () => new Names(['api.example', 'other.example']);
const quiet = () => new Refusals(() => {});

test('a question is read in lower case, and an additional record after it does not matter', () => {
  expect(parseQuery(query(['API', 'Example'], { tail: [0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 0] }))).toMatchObject({
    name: 'api.example',
    type: typeA,
    plain: true,
  });
});

test('an allowed name is answered with its address and a lifetime of a minute, repeating the question as asked', () => {
  const asked = query(['aPi', 'example']);
  const reply = answer(asked, names(), quiet())!;
  expect([...reply.subarray(0, 12)]).toEqual([0xab, 0xcd, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
  expect([...reply.subarray(12, asked.length)]).toEqual([...asked.subarray(12)]);
  expect([...reply.subarray(asked.length)]).toEqual([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 198, 18, 0, 1]);
});

test.each([28, 16, 15, 33, 255, 65, 5])('type %i of an allowed name is empty, so no record carries data', (type) => {
  const reply = answer(query(['api', 'example'], { type }), names(), quiet())!;
  expect([rcodeOf(reply), reply[7]]).toEqual([0, 0]);
});

test.each([
  ['a name no rule has', query(['evil', 'example']), 5],
  ['a subdomain', query(['sub', 'api', 'example']), 5],
  ['the root', query([]), 5],
  ['a dot inside a label', query(['api.example']), 5],
  ['a zero byte inside a label', query(['api', 'example\0']), 5],
  ['an operation that is no lookup', query(['api', 'example'], { head: [0x29, 0] }), 4],
  ['a response', query(['api', 'example'], { head: [0x81, 0] }), 1],
  ['two questions', query(['api', 'example'], { count: 2 }), 1],
  ['no question', query(['api', 'example'], { count: 0 }), 1],
  ['a compression pointer', Uint8Array.from([...query([]).subarray(0, 12), 0xc0, 12, 0, 1, 0, 1]), 1],
  ['a label that runs past the end', query(['api']).subarray(0, 15), 1],
  ['a name of 254 characters', query([...Array(3).fill('a'.repeat(63)), 'a'.repeat(62)]), 1],
  ['more than 4096 bytes', query(['api', 'example'], { tail: Array(4096).fill(0) }), 1],
  ['a header cut short', Uint8Array.of(1, 2, 3), 1],
])('%s is refused', (_, packet, rcode) => {
  expect(rcodeOf(answer(packet, names(), quiet()))).toBe(rcode);
});

test('a name of 253 characters is read', () => {
  expect(parseQuery(query([...Array(3).fill('a'.repeat(63)), 'a'.repeat(61)]))?.name).toHaveLength(253);
});

test('whatever the packet, the answer is a bounded response that hands out only addresses of allowed names', () => {
  const label = fc.uint8Array({ maxLength: 70 });
  const packets = fc.oneof(
    fc.uint8Array({ maxLength: 5000 }),
    fc.array(label, { maxLength: 8 }).map((labels) => query(labels)),
    fc
      .tuple(fc.constantFrom(query(['api', 'example']), query(['x'.repeat(63), 'y'])), fc.nat(40), fc.nat(255))
      .map(([packet, at, byte]) => packet.with(at % packet.length, byte)),
  );
  fc.assert(
    fc.property(packets, (packet) => {
      const reply = answer(packet, names(), quiet());
      if (packet.length < 2) {
        expect(reply).toBeUndefined();
        return;
      }
      expect(reply!.length).toBeLessThanOrEqual(12 + 255 + 4 + 16);
      expect(reply![2]! & 0x80).toBe(0x80);
      expect([...reply!.subarray(0, 2)]).toEqual([...packet.subarray(0, 2)]);
      if (reply![7] === 1) expect(['api.example', 'other.example']).toContain(parseQuery(packet)!.name);
    }),
    { numRuns: 400 },
  );
});

test('an answer without a question has a header alone', () => {
  expect(answerTo(Uint8Array.of(1, 2, 3), undefined, 'malformed')).toHaveLength(12);
});

test('a thousand refused names are counted, and told up to a bound, each once', () => {
  const facts: string[] = [];
  const refusals = new Refusals(({ target }) => facts.push(target));
  for (let round = 0; round < 2; round += 1) {
    for (let index = 0; index < 500; index += 1) answer(query([`n${index}`, 'example']), names(), refusals);
  }
  expect(facts).toHaveLength(256);
  expect(refusals.counts.refusedNames).toBe(1000);
});

test('the rate lets a burst pass, then as many as its time allows', () => {
  let now = 0;
  const limit = rate(100, 3, () => now);
  expect(Array.from({ length: 5 }, () => limit.take())).toEqual([true, true, true, false, false]);
  now = 20;
  expect([limit.take(), limit.take(), limit.take()]).toEqual([true, true, false]);
});

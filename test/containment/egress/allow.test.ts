import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allowedNames, destinationOf, listenerPorts } from '../../../src/containment/egress/allow.js';
import { Names } from '../../../src/containment/egress/names.js';
import { parseResolvers } from '../../../src/containment/egress/resolvers.js';
import { parseAllowEntry } from '../../../src/policy/network.js';

const rules = (...entries: string[]) => entries.map(parseAllowEntry);

function leadsTo(entries: string[], address: string, port: number): string {
  const parsed = rules(...entries);
  const names = new Names(allowedNames(parsed));
  const found = destinationOf(parsed, (each) => names.nameOf(each), address, port);
  return 'refused' in found ? 'refused' : `${found.host}:${found.port} by ${found.matching.map((rule) => rule.entry)}`;
}

test('listeners are the ports of the rules, 80 and 443 without one, ascending, at most 16', () => {
  expect(listenerPorts(rules('b.example:8080', 'a.example', 'https://c.example', 'b.example:22'))).toEqual([
    22, 80, 443, 8080,
  ]);
  const many = Array.from({ length: 20 }, (_, index) => `h.example:${1000 + index}`);
  expect(listenerPorts(rules(...many))).toHaveLength(16);
  expect(listenerPorts([])).toEqual([]);
});

describe('an address of the resolver stands for one name', () => {
  test.each([
    [['a.example', 'b.example:22'], '198.18.0.1', 443, 'a.example:443 by a.example'],
    [['a.example', 'b.example:22'], '::ffff:198.18.0.1', 80, 'a.example:80 by a.example'],
    [['a.example', 'b.example:22'], '198.18.0.2', 22, 'b.example:22 by b.example:22'],
    [['a.example', 'b.example:22'], '198.18.0.2', 443, 'refused'],
    [['https://a.example'], '198.18.0.1', 443, 'a.example:443 by https://a.example'],
    [['https://a.example'], '198.18.0.1', 80, 'refused'],
    [['a.example'], '198.18.0.9', 443, 'refused'],
  ])('%j, %s port %i: %s', (entries, address, port, expected) => {
    expect(leadsTo(entries, address, port)).toBe(expected);
  });
});

describe('a literal address leads out only when a rule names it', () => {
  test.each([
    [['10.0.0.1:80'], '10.0.0.1', 80, '10.0.0.1:80 by 10.0.0.1:80'],
    [['10.0.0.1:80'], '10.0.0.2', 80, 'refused'],
    [['[2001:db8::1]'], '2001:db8::1', 443, '[2001:db8::1]:443 by [2001:db8::1]'],
    [['[2001:DB8:0::1]:8080'], '2001:db8::1', 8080, '[2001:db8::1]:8080 by [2001:DB8:0::1]:8080'],
    [['localhost:8080'], '127.0.0.1', 8080, 'localhost:8080 by localhost:8080'],
    [['localhost:8080'], '::1', 8080, 'localhost:8080 by localhost:8080'],
    [['localhost:8080'], '127.0.0.2', 8080, 'refused'],
    [['127.0.0.1:8080'], '::1', 8080, 'refused'],
    [['a.example'], '93.184.216.34', 443, 'refused'],
    [[], '127.0.0.1', 80, 'refused'],
  ])('%j, %s port %i: %s', (entries, address, port, expected) => {
    expect(leadsTo(entries, address, port)).toBe(expected);
  });
});

test('no address leads anywhere a rule does not name', () => {
  const parsed = rules('a.example', 'https://b.example', '10.0.0.1:80');
  const names = new Names(allowedNames(parsed));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 1, max: 65_535 }), (address, port) => {
      const found = destinationOf(parsed, (each) => names.nameOf(each), address, port);
      if (!('refused' in found)) expect(found.matching.length).toBeGreaterThan(0);
      if (!address.includes(':') && !/^(10|198)\./.test(address)) expect(found).toHaveProperty('refused');
    }),
  );
});

test('every name has an address of its own in the range of RFC 2544', () => {
  const names = new Names(Array.from({ length: 600 }, (_, index) => `n${index}.example`));
  const addresses = Array.from({ length: 600 }, (_, index) => names.addressOf(`n${index}.example`)!);
  expect(new Set(addresses).size).toBe(600);
  expect(addresses.every((address) => /^198\.1[89]\./.test(address))).toBe(true);
  expect(names.nameOf(addresses[599]!)).toBe('n599.example');
});

test('of the host resolvers, those are named that a socket for every IPv4 address would not answer', () => {
  expect(
    parseResolvers(
      '# nameserver 127.0.0.9\nnameserver 127.0.0.53\nnameserver 10.0.0.2\nnameserver fd00::53\nnameserver 127.0.0.54',
    ),
  ).toEqual({ loopback: ['127.0.0.53'], ipv6: ['fd00::53'] });
});

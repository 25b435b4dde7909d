/**
 * Which addresses no name may lead to by surprise: loopback, private, link-local (cloud metadata among them), shared, unspecified,
 * multicast and reserved ranges, in every IPv6 form that carries an IPv4 address.
 * Does not stop: a public address that forwards to a private network, and public ranges an operator uses internally.
 */
import { isIPv4, isIPv6 } from 'node:net';

type Prefix = readonly [bytes: readonly number[], bits: number];

/** IANA IPv4 special-purpose registry, the entries that are never a public server. */
const private4: readonly Prefix[] = [
  [[0], 8], // this network
  [[10], 8],
  [[100, 64], 10], // carrier-grade NAT, RFC 6598
  [[127], 8],
  [[169, 254], 16], // link-local; 169.254.169.254 is cloud metadata
  [[172, 16], 12],
  [[192, 0, 0], 24], // IETF protocol assignments
  [[192, 168], 16],
  [[198, 18], 15], // benchmarking, RFC 2544
  [[224], 4], // multicast
  [[240], 4], // reserved, and broadcast
];

const private6: readonly Prefix[] = [
  [[], 127], // :: and ::1
  [[0x00, 0x64, 0xff, 0x9b, 0x00, 0x01], 48], // local-use NAT64, RFC 8215
  [[0x01], 64], // discard-only 100::/64, RFC 6666
  [[0x20, 0x01, 0x00, 0x00], 32], // Teredo: carries an obfuscated IPv4 address
  [[0xfc], 7], // unique local
  [[0xfe, 0x80], 10], // link-local
  [[0xfe, 0xc0], 10], // site-local
  [[0xff], 8], // multicast
];

/** IPv6 prefixes that carry an IPv4 address, and the byte where it starts. */
const carriers: readonly (readonly [Prefix, at: number])[] = [
  [[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96], 12], // v4-mapped
  [[[0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], 96], 12], // v4-translated, RFC 2765
  [[[], 96], 12], // v4-compatible
  [[[0x00, 0x64, 0xff, 0x9b], 96], 12], // NAT64, RFC 6052
  [[[0x20, 0x02], 16], 2], // 6to4
];

/** True for an address in a range above, and for text that is no address. */
export function isPrivateAddress(address: string): boolean {
  const text = address.split('%', 1)[0]!;
  if (isIPv4(text)) return within(text.split('.').map(Number), private4);
  if (!isIPv6(text)) return true;
  const bytes = bytesOfIPv6(text);
  if (within(bytes, private6)) return true;
  return carriers.some(([prefix, at]) => matchesPrefix(bytes, prefix) && within(bytes.slice(at, at + 4), private4));
}

function within(bytes: readonly number[], prefixes: readonly Prefix[]): boolean {
  return prefixes.some((prefix) => matchesPrefix(bytes, prefix));
}

/** Bytes a prefix leaves out are zero. */
function matchesPrefix(bytes: readonly number[], [prefix, bits]: Prefix): boolean {
  for (let index = 0; index * 8 < bits; index += 1) {
    const mask = 0xff & (0xff00 >> Math.min(8, bits - index * 8));
    if (((bytes[index]! ^ (prefix[index] ?? 0)) & mask) !== 0) return false;
  }
  return true;
}

function bytesOfIPv6(text: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const [, lead, a, b, c, d] = dotted ?? [];
  const hex = (high: string, low: string) => ((Number(high) << 8) | Number(low)).toString(16);
  const plain = dotted === null ? text : `${lead}${hex(a!, b!)}:${hex(c!, d!)}`;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

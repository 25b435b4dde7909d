/**
 * DNS packets (RFC 1035): the question of a query, and the answer to it. Written for hostile packets: every read is within bounds, and
 * what is not one plain question is refused as malformed. Pure; who answers what is resolver.ts.
 */

export const typeA = 1;
const classIn = 1;
const headerBytes = 12;
const mostPacketBytes = 4096;
const mostNameLength = 253;
const answerSeconds = 60;

export type Rcode = 'ok' | 'malformed' | 'not-implemented' | 'refused';
const rcodes: Readonly<Record<Rcode, number>> = { ok: 0, malformed: 1, 'not-implemented': 4, refused: 5 };

export interface Query {
  /** Lower case, without the final dot. Bytes that no host name has are written as `\ddd`, so such a name equals no rule. */
  readonly name: string;
  readonly type: number;
  /** Whether it asks for the Internet class and nothing but a lookup. */
  readonly plain: boolean;
  /** Where the question ends in the packet. */
  readonly end: number;
}

/** The one question of a query; `undefined` for anything else. */
export function parseQuery(packet: Uint8Array): Query | undefined {
  if (packet.length < headerBytes || packet.length > mostPacketBytes) return undefined;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const isResponse = (packet[2]! & 0x80) !== 0;
  if (isResponse || view.getUint16(4) !== 1) return undefined;
  const name = parseName(packet);
  if (name === undefined || name.end + 4 > packet.length) return undefined;
  const isLookup = (packet[2]! & 0x78) === 0;
  return {
    name: name.text,
    type: view.getUint16(name.end),
    plain: isLookup && view.getUint16(name.end + 2) === classIn,
    end: name.end + 4,
  };
}

/** A length above 63 is a compression pointer or reserved; neither belongs into a question. */
function parseName(packet: Uint8Array): { text: string; end: number } | undefined {
  const labels: string[] = [];
  let length = -1;
  let at = headerBytes;
  for (;;) {
    const size = packet[at];
    if (size === undefined || size > 63 || at + 1 + size > packet.length) return undefined;
    if (size === 0) return { text: labels.join('.'), end: at + 1 };
    length += size + 1;
    if (length > mostNameLength) return undefined;
    labels.push(labelText(packet.subarray(at + 1, at + 1 + size)));
    at += size + 1;
  }
}

function labelText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const char = String.fromCharCode(byte).toLowerCase();
    return /^[a-z0-9_-]$/.test(char) ? char : `\\${String(byte).padStart(3, '0')}`;
  }).join('');
}

/**
 * The answer to a packet: header, the question as it was asked (some clients compare its letter case), and `address` when given.
 * Without a query, the header alone; `undefined` when the packet is too short to say which query it was.
 */
export function answerTo(
  packet: Uint8Array,
  query: Query | undefined,
  rcode: Rcode,
  address?: string,
): Uint8Array | undefined {
  if (packet.length < 2) return undefined;
  const question = query === undefined ? new Uint8Array(0) : packet.subarray(headerBytes, query.end);
  const record = address === undefined ? [] : recordA(address);
  const bytes = new Uint8Array(headerBytes + question.length + record.length);
  const view = new DataView(bytes.buffer);
  const asked = packet[2] ?? 0;
  bytes.set(packet.subarray(0, 2));
  bytes[2] = 0x80 | (asked & 0x79); // a response; operation and "recursion desired" as asked
  bytes[3] = 0x80 | rcodes[rcode]; // recursion available
  view.setUint16(4, query === undefined ? 0 : 1);
  view.setUint16(6, address === undefined ? 0 : 1);
  bytes.set(question, headerBytes);
  bytes.set(record, headerBytes + question.length);
  return bytes;
}

/** The name as a pointer to the question, type A, class IN, lifetime, 4 bytes of address. */
function recordA(address: string): readonly number[] {
  return [0xc0, headerBytes, 0, typeA, 0, classIn, 0, 0, 0, answerSeconds, 0, 4, ...address.split('.').map(Number)];
}

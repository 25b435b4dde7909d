/**
 * Requests to the kernel's routing socket (rtnetlink(7)), as bytes: just what a fresh network namespace needs. Pure; who sends them is
 * network-helper.ts.
 */
import { endianness } from 'node:os';

export type Family = 'ipv4' | 'ipv6';

const little = endianness() === 'LE';
const headerBytes = 16;
/** linux/netlink.h, linux/rtnetlink.h; the same on every architecture. */
const newLink = 16;
const newAddress = 20;
const newRoute = 24;
const isRequest = 0x01;
const wantsAck = 0x04;
const create = 0x400;
const errorMessage = 2;
const up = 0x1;
const families: Readonly<Record<Family, number>> = { ipv4: 2, ipv6: 10 };
const localTable = 255;
const localType = 2;
const hostScope = 254;
const bootProtocol = 3;

/** Brings an interface up. */
export function linkUp(index: number): Uint8Array {
  const body = new Uint8Array(16);
  const view = viewOf(body);
  view.setInt32(4, index, little);
  view.setUint32(8, up, little);
  view.setUint32(12, up, little);
  return message(newLink, 0, [body]);
}

/** `ip route add local default dev <index> table local`: every address is this host's own. */
export function localDefault(family: Family, index: number): Uint8Array {
  const body = Uint8Array.of(families[family], 0, 0, 0, localTable, bootProtocol, hostScope, localType, 0, 0, 0, 0);
  const out = new Uint8Array(4);
  viewOf(out).setUint32(0, index, little);
  return message(newRoute, create, [body, attribute(4, out)]);
}

/** Gives an interface one IPv6 address. `bytes`: its 16. */
export function addAddress6(index: number, bytes: Uint8Array): Uint8Array {
  const body = Uint8Array.of(families.ipv6, 128, 0, hostScope, 0, 0, 0, 0);
  viewOf(body).setUint32(4, index, little);
  return message(newAddress, create, [body, attribute(2, bytes), attribute(1, bytes)]);
}

/** The errno of an answer, 0 for success; `undefined` for bytes that are no answer. */
export function errnoOf(answer: Uint8Array): number | undefined {
  if (answer.length < headerBytes + 4) return undefined;
  const view = viewOf(answer);
  return view.getUint16(4, little) === errorMessage ? -view.getInt32(headerBytes, little) : undefined;
}

function message(type: number, flags: number, parts: readonly Uint8Array[]): Uint8Array {
  const length = headerBytes + parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(length);
  const view = viewOf(bytes);
  view.setUint32(0, length, little);
  view.setUint16(4, type, little);
  view.setUint16(6, isRequest | wantsAck | flags, little);
  let at = headerBytes;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Values here are multiples of 4 bytes long, so none needs padding. */
function attribute(type: number, value: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4 + value.length);
  const view = viewOf(bytes);
  view.setUint16(0, bytes.length, little);
  view.setUint16(2, type, little);
  bytes.set(value, 4);
  return bytes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

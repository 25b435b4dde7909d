import type { HeaderPair } from '../../../workers/wasi/http/messages.js';

/** A header as Node takes it: the value's bytes as Latin-1 text. */
export type WireHeader = readonly [name: string, value: string];

/** Headers of one connection, never of the message (RFC 9110 section 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The guest's headers as they may go out. The guest side refuses most of these already; this side does not rely on it. */
export function requestHeaders(pairs: readonly HeaderPair[]): WireHeader[] {
  return pairs
    .map(([name, value]): WireHeader => [name.toLowerCase(), Buffer.from(value).toString('latin1')])
    .filter(([name]) => name !== 'host' && !hopByHop.has(name) && !name.startsWith('x-murmur-'));
}

/** The response's headers as the guest sees them, without those of the connection and those that `Connection` names. */
export function responseHeaders(rawHeaders: readonly string[]): HeaderPair[] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index]!.toLowerCase(), rawHeaders[index + 1]!]);
  }
  const named = pairs.filter(([name]) => name === 'connection').flatMap(([, value]) => value.split(','));
  const dropped = new Set(named.map((name) => name.trim().toLowerCase()));
  return pairs
    .filter(([name]) => !hopByHop.has(name) && !dropped.has(name))
    .map(([name, value]) => [name, new Uint8Array(Buffer.from(value, 'latin1'))]);
}

/** The length the headers promise: absent, a number of bytes, or `invalid` when there are several or it is no number. */
export function contentLength(headers: readonly WireHeader[]): number | undefined | 'invalid' {
  const values = headers.filter(([name]) => name === 'content-length').map(([, value]) => value.trim());
  const [value] = values;
  if (value === undefined) return undefined;
  return values.length === 1 && /^\d{1,15}$/.test(value) ? Number(value) : 'invalid';
}

export function headerBytes(headers: readonly WireHeader[]): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
}

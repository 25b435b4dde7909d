/** What is promised of the bytes of a download, and whether they keep it. */
import type { IncomingHttpHeaders } from 'node:http';
import { MurError } from '../../../errors/index.js';
import { sha256Hex } from '../../../text/index.js';

export interface Promised {
  readonly sizeBytes?: number;
  readonly digests: readonly (string | undefined)[];
}

/** The sha256 in the header `name` of an answer, when one is asked for. `E-IO-003` when it is missing or is no sha256. */
export function digestIn(headers: IncomingHttpHeaders, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const value = headers[name];
  if (value === undefined) throw new MurError('E-IO-003', `registry response missing ${name} header`);
  const digest = String(value).trim().toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digest)) return digest;
  throw new MurError('E-IO-003', `registry response has a ${name} header that is no sha256`);
}

/** `E-REG-002` when the bytes of `label` are not what was promised. */
export function mismatch(bytes: Uint8Array, label: string, { sizeBytes, digests }: Promised): MurError | undefined {
  const failed = (expected: string, actual: string) =>
    new MurError('E-REG-002', `artifact integrity check failed for ${label}: expected ${expected}, got ${actual}`, {
      hint: 'nothing was stored; when it stays so, tell whoever publishes it',
    });
  if (sizeBytes !== undefined && bytes.length !== sizeBytes) return failed(`${sizeBytes} bytes`, String(bytes.length));
  const promised = digests.filter((digest) => digest !== undefined);
  if (promised.length === 0) return undefined;
  const actual = sha256Hex(bytes);
  const wrong = promised.find((digest) => digest !== actual);
  return wrong === undefined ? undefined : failed(`sha256 ${wrong}`, actual);
}

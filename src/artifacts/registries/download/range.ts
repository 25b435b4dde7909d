import type { IncomingHttpHeaders } from 'node:http';
import type { Whole } from './part.js';

/** Why a 206 is not the rest of `whole` from byte `from` on; `undefined` when it is. `from` is 0 when no part was asked for. */
export function rangeProblem(headers: IncomingHttpHeaders, from: number, whole: Whole): string | undefined {
  if (from === 0) return 'the answer is a part, and the whole was asked for';
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '');
  if (match === null) return 'the answer does not say which part it is';
  const [first, last, total] = match.slice(1).map(Number) as [number, number, number];
  if (first !== from || last !== total - 1) return 'the answer is another part than was asked for';
  if (total !== (whole.totalBytes ?? total)) return 'the file has another length than before';
  if (headers.etag !== undefined && headers.etag !== whole.etag) return 'the file has changed';
  return undefined;
}

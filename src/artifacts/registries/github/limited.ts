import type { Reply } from '../http/call.js';

/**
 * How an answer says that we asked too often, in the words of spec/diagnostics.md E-REG-006, with the time it ends when that is known;
 * `undefined` when it does not say so.
 */
export function rateLimit({ status, headers, text }: Reply): string | undefined {
  const why = reasonOf(status, headers, text);
  if (why === undefined) return undefined;
  const reset = resetAt(headers, Date.now());
  return `rate limited by GitHub (${why})${reset === undefined ? '' : `, until ${reset}`}`;
}

function reasonOf(status: number, headers: Reply['headers'], text: string): string | undefined {
  if (status === 429) return 'HTTP 429';
  if (status !== 403) return undefined;
  if (headers['x-ratelimit-remaining'] === '0') return 'HTTP 403, x-ratelimit-remaining: 0';
  if (headers['retry-after'] !== undefined) return 'HTTP 403, retry-after header';
  return /rate limit/i.test(text) ? 'HTTP 403, response body says rate limit' : undefined;
}

/** ISO time from `retry-after` in seconds, else from `x-ratelimit-reset` in Unix seconds. A time far away is not believed. */
function resetAt(headers: Reply['headers'], nowMs: number): string | undefined {
  const [after, reset] = [headers['retry-after'], headers['x-ratelimit-reset']];
  const atMs = numberIn(after) === undefined ? (numberIn(reset) ?? 0) * 1000 : nowMs + numberIn(after)! * 1000;
  const farMs = 366 * 24 * 60 * 60_000;
  return atMs > nowMs && atMs < nowMs + farMs ? new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z') : undefined;
}

function numberIn(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}

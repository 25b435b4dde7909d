import type { Secret } from '../../../errors/index.js';
import { safeForTerminal, truncateUtf8 } from '../../../text/index.js';

/** A server gave no answer that says yes or no. The caller decides which code that is. */
export class NoAnswer extends Error {
  /** For people; holds no secret and nothing a terminal obeys. */
  readonly reason: string;
  /** The same request may do better later. */
  readonly isPassing: boolean;
  /** How long the server wants to be left alone first. */
  readonly afterMs: number | undefined;

  constructor(reason: string, options: { isPassing?: boolean; afterMs?: number; cause?: unknown } = {}) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'NoAnswer';
    this.reason = reason;
    this.isPassing = options.isPassing ?? false;
    this.afterMs = options.afterMs;
  }
}

/** Codes of connections that were refused or lost. Names that do not exist and certificates that do not fit stay as they are. */
const passing = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EAI_AGAIN', 'ERR_STREAM_PREMATURE_CLOSE'],
]);

/** `request failed: ...` for what a socket, a resolver or the HTTP parser threw. */
export function connectionFailure(thrown: unknown): NoAnswer {
  if (thrown instanceof NoAnswer) return thrown;
  // Every address of a name was tried; one of them is enough to act on.
  const error = thrown instanceof AggregateError ? (thrown.errors[0] ?? thrown) : thrown;
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const why = code === 'HPE_HEADER_OVERFLOW' ? 'the head of the answer is too large' : message || code;
  return new NoAnswer(`request failed: ${serverText(why)}`, { isPassing: passing.has(code), cause: thrown });
}

/** Text of a server as one short line, without the secrets it was sent. Does not stop: a secret in another encoding. */
export function serverText(text: string, secrets: readonly (Secret | undefined)[] = []): string {
  let clean = text;
  for (const secret of secrets) {
    const value = secret?.reveal();
    if (value) clean = clean.replaceAll(value, '<redacted>');
  }
  return truncateUtf8(safeForTerminal(clean).replace(/\s+/g, ' ').trim(), 300);
}

/** An address without user, query and fragment, which may hold signatures. */
export function plainAddress(url: URL): string {
  return `${url.origin}${url.pathname === '/' ? '' : url.pathname}`;
}

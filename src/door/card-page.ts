import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './site.js';

/** Readers may keep the card for so long without asking again. Short: a port is soon another session's. */
const maxAgeSeconds = 10;

/**
 * What a request for the card is answered: the card, or 304 for a reader that has it (A2A 1.0 section 8.6.1; RFC 9110 13.1.2). Made once,
 * so serving it costs nothing while a turn runs.
 */
export function cardPage(card: string): (headers: IncomingHttpHeaders) => Answer {
  const etag = `"${createHash('sha256').update(card).digest('base64url').slice(0, 22)}"`;
  const headers = { vary: 'A2A-Version', etag, 'cache-control': `max-age=${maxAgeSeconds}` };
  const page: Answer = { status: 200, body: card, headers };
  const unchanged: Answer = { status: 304, headers };
  return ({ 'if-none-match': known }) => (known !== undefined && names(known, etag) ? unchanged : page);
}

/** True when the list of `If-None-Match` holds the tag, weak or not, or stands for any. */
function names(known: string, etag: string): boolean {
  return known.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim()));
}

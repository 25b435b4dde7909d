import type { IncomingMessage, ServerResponse } from 'node:http';
import { refusalBody } from '../respond.js';
import type { Answer } from '../site.js';

export type BodyOutcome =
  | { readonly status: 'read'; readonly bytes: Buffer }
  | { readonly status: 'too-large' }
  /** The sender left before the body was complete. */
  | { readonly status: 'cut' };

/** The whole body, unless it is over `limitBytes`; then at most one chunk over the limit was held in memory. */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
): Promise<BodyOutcome> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return { status: 'too-large' };
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let held = 0;
    const settle = (outcome: BodyOutcome) => {
      request.off('data', take).off('end', end).off('error', cut).off('close', cut);
      resolve(outcome);
    };
    const take = (chunk: Buffer) => {
      held += chunk.length;
      if (held > limitBytes) {
        request.pause();
        settle({ status: 'too-large' });
      } else {
        chunks.push(chunk);
      }
    };
    const end = () => settle({ status: 'read', bytes: Buffer.concat(chunks, held) });
    const cut = () => settle({ status: 'cut' });
    request.on('data', take).on('end', end).on('error', cut).on('close', cut);
  });
}

/** The refusal of a body over the bound. */
export function bodyTooLarge(limitBytes: number): Answer {
  return { status: 413, body: refusalBody('body_too_large', `the request body is over ${limitBytes} bytes`) };
}

import { isMurError } from '../../../errors/index.js';
import { interrupted, seconds } from './deadline.js';
import type { Answer } from './exchange.js';
import { connectionFailure, NoAnswer } from './failure.js';
import type { HttpLimits } from './limits.js';

/**
 * Gives every chunk of the body to `take` until it ends or `take` says `false`. Only a body that ended as it promised to returns
 * `true`. Throws `NoAnswer` when the connection is lost, or brings less than `paceBytes` in `paceMs`.
 */
export async function receive(
  { body }: Answer,
  limits: HttpLimits,
  signal: AbortSignal | undefined,
  take: (chunk: Buffer) => boolean,
): Promise<boolean> {
  let receivedBytes = 0;
  let countedBytes = 0;
  const pace = setInterval(() => {
    const newBytes = receivedBytes - countedBytes;
    countedBytes = receivedBytes;
    if (newBytes >= limits.paceBytes) return;
    const why = newBytes === 0 ? 'nothing' : `only ${newBytes} bytes`;
    body.destroy(
      new NoAnswer(`request failed: ${why} arrived in ${seconds(limits.paceMs)}`, { isPassing: newBytes === 0 }),
    );
  }, limits.paceMs);
  const stop = (): void => void body.destroy(reasonOf(signal));
  signal?.addEventListener('abort', stop, { once: true });
  try {
    if (signal?.aborted === true) throw reasonOf(signal);
    for await (const chunk of body as AsyncIterable<Buffer>) {
      receivedBytes += chunk.length;
      if (!take(chunk)) return false;
    }
    if (!body.complete) throw new NoAnswer('request failed: the connection closed', { isPassing: true });
    return true;
  } catch (error) {
    if (signal?.aborted === true) throw reasonOf(signal);
    throw lost(error, receivedBytes);
  } finally {
    clearInterval(pace);
    signal?.removeEventListener('abort', stop);
    body.destroy();
  }
}

/** At most `limitBytes` of the body; `isWhole` says whether that was all. */
export async function readBody(
  answer: Answer,
  limits: HttpLimits,
  signal: AbortSignal | undefined,
  limitBytes: number,
) {
  const chunks: Buffer[] = [];
  let total = 0;
  const isWhole = await receive(answer, limits, signal, (chunk) => {
    chunks.push(chunk);
    total += chunk.length;
    return total <= limitBytes;
  });
  return { bytes: Buffer.concat(chunks).subarray(0, limitBytes), isWhole };
}

/** Why the body may not be read as it is; `undefined` when it may. Nothing here decodes, so no small body can become a large one. */
export function encodingProblem({ headers }: Answer): string | undefined {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return undefined;
  return 'the answer has a content-encoding, which was not asked for';
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof NoAnswer || isMurError(reason) ? reason : interrupted();
}

/** Errors of the socket and the parser have a code; those that were thrown here, by `take` or the pace, pass as they are. */
function lost(error: unknown, receivedBytes: number): unknown {
  if (error instanceof NoAnswer || isMurError(error)) return error;
  if ((error as { code?: unknown }).code !== 'ECONNRESET') return connectionFailure(error);
  return new NoAnswer(`request failed: the connection was lost after ${receivedBytes} bytes`, { isPassing: true });
}

import { setTimeout as sleep } from 'node:timers/promises';
import { encodingProblem, readBody } from './body.js';
import { Deadline } from './deadline.js';
import { type Answer, exchange, type Outgoing } from './exchange.js';
import { NoAnswer } from './failure.js';
import type { HttpLimits } from './limits.js';

/** An answer that is small enough to hold. */
export interface Reply {
  readonly status: number;
  readonly headers: Answer['headers'];
  /** The whole body of a 2xx; of any other status as much as explains it. */
  readonly text: string;
}

/**
 * One request whose answer is text, within `requestMs` whatever happens. A GET is tried again when the connection fails or the
 * server has a fault (5xx), as long as the time allows. Throws `NoAnswer` when there was none in the end.
 */
export async function call(out: Outgoing, limits: HttpLimits, outer?: AbortSignal): Promise<Reply> {
  // Sending a body may take long; how long is bounded like the body of a download.
  const deadline = new Deadline(out.body === undefined ? limits.requestMs : limits.transferMs, outer);
  try {
    for (let tries = 1; ; tries += 1) {
      const isLast = out.method !== 'GET' || tries >= limits.triesInVain;
      try {
        const answer = await exchange(out, limits, deadline.signal);
        const waitMs = isLast ? undefined : retryAfter(answer, limits, tries, deadline.leftMs);
        if (waitMs === undefined) return await replyOf(answer, limits, deadline.signal);
        answer.body.destroy();
        await pause(waitMs, deadline.signal);
      } catch (error) {
        if (!(error instanceof NoAnswer) || !error.isPassing || isLast) throw error;
        await pause(backoffMs(limits, tries), deadline.signal);
      }
    }
  } finally {
    deadline.end();
  }
}

/** What an answer that was not used says; for messages. */
export async function replyOf(answer: Answer, limits: HttpLimits, signal?: AbortSignal): Promise<Reply> {
  const { status, headers } = answer;
  const isGood = status >= 200 && status < 300;
  const problem = encodingProblem(answer);
  if (problem !== undefined) {
    answer.body.destroy();
    if (isGood) throw new NoAnswer(problem);
    return { status, headers, text: '' };
  }
  const limitBytes = isGood ? limits.answerBytes : limits.errorBytes;
  const { bytes, isWhole } = await readBody(answer, limits, signal, limitBytes);
  if (isGood && !isWhole) throw new NoAnswer(`the answer is larger than ${limitBytes} bytes`);
  return { status, headers, text: new TextDecoder().decode(bytes) };
}

const faults: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** How long to wait before `answer` is asked for again; `undefined` when it should not be, or the server asks for too long a wait. */
export function retryAfter({ status, headers }: Answer, limits: HttpLimits, tries: number, leftMs: number) {
  if (!faults.has(status)) return undefined;
  const waitMs = Math.max(askedMs(headers['retry-after']), backoffMs(limits, tries));
  return waitMs < leftMs ? waitMs : undefined;
}

/** RFC 9110 section 10.2.3: seconds or a date. Zero when there is none or it cannot be read. */
function askedMs(header: string | undefined): number {
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
}

/** Doubles with each try; half of it is chance, so that many clients do not come back at once. */
export function backoffMs(limits: HttpLimits, tries: number): number {
  const ms = Math.min(limits.mostBackoffMs, limits.backoffMs * 2 ** (tries - 1));
  return ms / 2 + (Math.random() * ms) / 2;
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

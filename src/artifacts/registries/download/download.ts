/**
 * The one way artifact bytes come from a server: into a partial file, continued where it stopped, bounded in time and size, checked
 * against a hash, and only then handed on. Nothing that is not whole leaves this file.
 *
 * Does not stop: a server that says which hash its own wrong bytes have. The lock does, from the second install on.
 */
import { MurError, type Secret } from '../../../errors/index.js';
import { sha256Hex } from '../../../text/index.js';
import { encodingProblem, receive } from '../http/body.js';
import { backoffMs, pause, type Reply, replyOf, retryAfter } from '../http/call.js';
import { Deadline } from '../http/deadline.js';
import { type Answer, exchange } from '../http/exchange.js';
import { NoAnswer } from '../http/failure.js';
import type { HttpLimits } from '../http/limits.js';
import type { DownloadProgress } from '../types.js';
import { ceilingHint } from './ceiling.js';
import { removeStaleParts } from './folder.js';
import { isStrongTag, Part } from './part.js';
import { digestIn, mismatch } from './promise.js';
import { rangeProblem } from './range.js';

export interface Download {
  /** For people: an artifact `name@version`, or an asset. */
  readonly name: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: Secret | undefined;
  readonly isFromPublic?: boolean;
  /** What somebody else already said of the bytes. */
  readonly expected?: { readonly sha256?: string; readonly sizeBytes?: number };
  /** Header of the answer that must hold the sha256; an answer without it is refused before its body is read. */
  readonly digestHeader?: string;
  readonly limitBytes: number;
}

export interface Surroundings {
  readonly folder: string;
  readonly limits: HttpLimits;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

export type Downloaded =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** The server answered with another status. */
  | { readonly kind: 'refused'; readonly reply: Reply };

/**
 * The verified bytes, or the answer that refused them. Throws `NoAnswer` when the server could not be reached or lost the connection
 * too often, `E-REG-002` for bytes with another hash or length, `E-IO-003` for a body over `limitBytes`.
 */
export async function download(what: Download, around: Surroundings): Promise<Downloaded> {
  removeStaleParts(around.folder, around.limits.stalePartMs);
  const deadline = new Deadline(around.limits.transferMs, around.signal);
  // Bytes another process left are used only when the whole can be checked: a crash of the machine may have changed them.
  const isCheckable = what.expected?.sha256 !== undefined || what.digestHeader !== undefined;
  const part = Part.open(around.folder, sha256Hex(what.url.href), isCheckable);
  const transfer = new Transfer(what, around, part, deadline);
  let isDone = false;
  try {
    const result = await transfer.run();
    isDone = true;
    return result;
  } finally {
    deadline.end();
    if (isDone || !isCheckable || transfer.isSpoilt) part.remove();
    else part.release();
  }
}

class Transfer {
  /** What was received is of no use to a later download. */
  isSpoilt = false;
  #wasContinued = false;
  #digest: string | undefined;

  constructor(
    readonly what: Download,
    readonly around: Surroundings,
    readonly part: Part,
    readonly deadline: Deadline,
  ) {}

  async run(): Promise<Downloaded> {
    const { limits } = this.around;
    let inVain = 0;
    for (let tries = 1; ; tries += 1) {
      const before = this.part.receivedBytes;
      try {
        const reply = await this.#attempt(tries);
        if (reply !== undefined) return { kind: 'refused', reply };
        const bytes = this.part.read();
        const { name, expected } = this.what;
        const problem = mismatch(bytes, name, { ...expected, digests: [expected?.sha256, this.#digest] });
        if (problem === undefined) return { kind: 'bytes', bytes };
        // Once from the start, because the fault may lie in the part that was continued.
        this.isSpoilt = !this.#wasContinued;
        if (this.isSpoilt) throw problem;
        this.#wasContinued = false;
        this.part.restart({});
      } catch (error) {
        inVain = this.part.receivedBytes > before ? 0 : inVain + 1;
        const isOver = inVain >= limits.triesInVain || tries >= limits.tries;
        if (!(error instanceof NoAnswer) || !error.isPassing || isOver) throw error;
        await pause(error.afterMs ?? backoffMs(limits, inVain + 1), this.deadline.signal);
      }
    }
  }

  /** One request, whose body is added to the part. Resolves with the answer when it refuses. */
  async #attempt(tries: number): Promise<Reply | undefined> {
    const { limits } = this.around;
    const { part } = this;
    const from = part.isContinuable ? part.receivedBytes : 0;
    const head = new Deadline(limits.requestMs, this.deadline.signal);
    try {
      const answer = await exchange(this.#request(from), limits, head.signal);
      if (answer.status !== 200 && answer.status !== 206) return await this.#refusal(answer, from, tries, head.signal);
      try {
        this.#begin(answer, from);
      } catch (error) {
        answer.body.destroy();
        throw error;
      }
      head.end();
      await this.#receive(answer);
      return undefined;
    } finally {
      head.end();
    }
  }

  #request(from: number) {
    const { url, headers, credential, isFromPublic = false } = this.what;
    const { etag } = this.part.whole;
    const range = from === 0 || etag === undefined ? {} : { range: `bytes=${from}-`, 'if-range': etag };
    return { method: 'GET', url, headers: { ...headers, ...range }, credential, isFromPublic } as const;
  }

  async #refusal(answer: Answer, from: number, tries: number, signal: AbortSignal): Promise<Reply | undefined> {
    const { limits } = this.around;
    if (answer.status === 416 && from > 0) {
      answer.body.destroy();
      this.part.restart({});
      throw new NoAnswer('request failed: HTTP 416', { isPassing: true });
    }
    const waitMs = tries < limits.triesInVain ? retryAfter(answer, limits, tries, this.deadline.leftMs) : undefined;
    if (waitMs === undefined) return replyOf(answer, limits, signal);
    answer.body.destroy();
    throw new NoAnswer(`HTTP ${answer.status}`, { isPassing: true, afterMs: waitMs });
  }

  /** Checks the head of an answer and readies the part for its body. */
  #begin(answer: Answer, from: number): void {
    const problem = encodingProblem(answer);
    if (problem !== undefined) throw new NoAnswer(problem);
    this.#digest = digestIn(answer.headers, this.what.digestHeader);
    if (answer.status === 206) {
      const wrong = rangeProblem(answer.headers, from, this.part.whole);
      if (wrong === undefined) {
        this.#wasContinued = true;
        return;
      }
      this.part.restart({});
      throw new NoAnswer(`request failed: ${wrong}`, { isPassing: from > 0 });
    }
    const { etag, 'content-length': length } = answer.headers;
    const totalBytes = length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
    if ((totalBytes ?? 0) > this.what.limitBytes) throw this.#tooLarge();
    this.#wasContinued = false;
    this.part.restart({
      ...(etag !== undefined && isStrongTag(etag) ? { etag } : {}),
      ...(totalBytes === undefined ? {} : { totalBytes }),
    });
  }

  async #receive(answer: Answer): Promise<void> {
    const { limits, onProgress } = this.around;
    const { name, limitBytes } = this.what;
    const { part } = this;
    const { totalBytes } = part.whole;
    await receive(answer, limits, this.deadline.signal, (chunk) => {
      const receivedBytes = part.receivedBytes + chunk.length;
      if (receivedBytes > Math.min(limitBytes, totalBytes ?? limitBytes)) {
        this.isSpoilt = true;
        throw receivedBytes > limitBytes ? this.#tooLarge() : new NoAnswer('the body is longer than the answer said');
      }
      part.append(chunk);
      onProgress?.({ name, receivedBytes, ...(totalBytes === undefined ? {} : { totalBytes }) });
      return true;
    });
    if (totalBytes !== undefined && part.receivedBytes < totalBytes) {
      throw new NoAnswer(`request failed: the body ended after ${part.receivedBytes} of ${totalBytes} bytes`, {
        isPassing: true,
      });
    }
  }

  #tooLarge(): MurError {
    const { name, limitBytes } = this.what;
    return new MurError('E-IO-003', `${name} exceeds the ${limitBytes}-byte ceiling of a download`, {
      hint: ceilingHint,
    });
  }
}

import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { reasonOf } from '../errors/index.js';
import type { DoorAddress } from './door-address.js';

export interface ExchangeLimits {
  /** Long enough for a loopback accept, short enough to report an address nothing holds. */
  readonly connectMs: number;
  /** From the connection to the last byte. Longer: a capsule mid-turn has answered, and may be slow about the rest. */
  readonly readMs: number;
  readonly bodyBytes: number;
}

export interface ExchangeRequest {
  readonly address: DoorAddress;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One request on a connection of its own, within two deadlines and a size limit. Follows no redirect. Rejects with an error whose
 * message says what happened; always leaves the socket closed.
 */
export function exchange(
  ask: ExchangeRequest,
  limits: ExchangeLimits,
  signal: AbortSignal | undefined,
): Promise<ExchangeAnswer> {
  const { address, method, path, headers, body } = ask;
  const options: RequestOptions = { host: address.host, port: address.port, method, path, headers, agent: false };
  return new Promise<ExchangeAnswer>((resolve, reject) => {
    // Throws for a header no request can carry, which rejects.
    const sent = request(options);
    let timer = giveUp(limits.connectMs, `no connection to ${address.text} within`);
    const onAbort = () => sent.destroy(new Error('the probe was aborted'));
    signal?.addEventListener('abort', onAbort);

    function giveUp(ms: number, what: string): NodeJS.Timeout {
      return setTimeout(() => sent.destroy(new Error(`${what} ${ms / 1000} s`)), ms);
    }
    function settle(how: () => void): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      how();
      sent.destroy();
    }

    sent.once('socket', (socket) => {
      socket.once('connect', () => {
        clearTimeout(timer);
        timer = giveUp(limits.readMs, `${address.text} did not answer within`);
      });
    });
    let answered = false;
    sent.once('response', (response) => {
      answered = true;
      collect(response, limits.bodyBytes).then(
        (text) => settle(() => resolve({ status: response.statusCode ?? 0, body: text })),
        (error) => settle(() => reject(error)),
      );
    });
    sent.once('error', (error) => settle(() => reject(new Error(causeOf(error), { cause: error }))));
    // A change of protocol ends in nothing but this. After a response it says nothing: its last bytes may still be on their way.
    sent.once('close', () => {
      if (!answered) settle(() => reject(new Error(`${address.text} closed the connection without an answer`)));
    });
    if (signal?.aborted) onAbort();
    sent.end(body);
  });
}

async function collect(response: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total > limitBytes) throw new Error(`the answer is larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A name with several addresses fails with one error per address and no message of its own. */
function causeOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [];
  return reasonOf(first ?? error);
}

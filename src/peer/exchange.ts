import type { IncomingMessage } from 'node:http';
import type { HttpErrorCode } from '../../workers/wasi/http/messages.js';
import { reasonOf } from '../errors/index.js';
import { shorten } from '../text/index.js';
import { dial, directPlan, type EgressPolicy } from '../wasm/egress/index.js';
import type { PeerAddress } from './address.js';

export interface PeerRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
}

export interface PeerAnswer {
  readonly status: number;
  readonly body: string;
}

export interface ExchangeLimits {
  readonly connectMs: number;
  /** From the dialling to the last byte of the answer. */
  readonly totalMs: number;
  readonly bodyBytes: number;
}

/** No rule lets the request go there; nothing was sent. */
export class DeniedError extends Error {}

/**
 * The peer's answer to one request, on a connection of its own. Rejects with what a guest may know: no rule lets it go there (before any
 * connection), nobody answered, or the answer broke off or passed its limits. Leaves no socket and no timer behind.
 */
export async function askPeer(
  policy: EgressPolicy,
  address: PeerAddress,
  { method, path, headers, body }: PeerRequest,
  limits: ExchangeLimits,
  signal: AbortSignal,
): Promise<PeerAnswer> {
  signal.throwIfAborted();
  const { target, text } = address;
  const { scheme, host, port } = target;
  const plan = directPlan(policy, target, {
    method,
    scheme,
    authority: host,
    pathWithQuery: path,
    headers: [],
    hasBody: true,
  });
  if (plan === undefined) {
    policy.onEvent?.({ type: 'egress.denied', reason: 'not-allowed', target: `${host}:${port}` });
    throw new DeniedError(`network policy: '${shorten(text, 200)}' not in capabilities.network.allow`);
  }
  const framing = body === undefined ? [] : [['content-length', String(Buffer.byteLength(body))] as const];
  return new Promise<PeerAnswer>((resolve, reject) => {
    const end = (how: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      wire.destroy();
      how();
    };
    const fail = (reason: string): void => end(() => reject(new Error(reason)));
    const abort = (): void => end(() => reject(signal.reason));
    const timeouts = { connectMs: limits.connectMs, firstByteMs: limits.totalMs };
    const wire = dial({ ...plan.first(), headers }, framing, timeouts, {
      responded: (response) => {
        collect(response, limits.bodyBytes).then(
          (text) => end(() => resolve({ status: response.statusCode ?? 0, body: text })),
          (error) => fail(reasonOf(error)),
        );
      },
      failed: (error) => fail(failureText(error)),
      drained: () => undefined,
    });
    const timer = setTimeout(() => fail(`${slow} within ${limits.totalMs / 1000} s`), limits.totalMs);
    signal.addEventListener('abort', abort, { once: true });
    wire.request.end(body);
  });
}

const slow = 'it did not answer';

async function collect(response: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let total = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > limitBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw new Error('its answer broke off');
  }
  if (total > limitBytes) throw new Error(`its answer is larger than ${limitBytes} bytes`);
  return Buffer.concat(chunks).toString('utf8');
}

const words: Readonly<Partial<Record<HttpErrorCode['tag'], string>>> = {
  'connection-refused': 'nothing listens there',
  'connection-timeout': slow,
  'DNS-timeout': 'its name was not resolved in time',
  'DNS-error': 'its name does not resolve',
  'HTTP-response-timeout': slow,
  'connection-terminated': 'it closed the connection without an answer',
  'destination-IP-prohibited':
    'its name leads to private addresses only, which needs an entry of capabilities.network.allow that names the address, or the URL with its port',
  'HTTP-protocol-error': 'what it answered is not HTTP',
};

function failureText({ tag }: HttpErrorCode): string {
  return words[tag] ?? tag;
}

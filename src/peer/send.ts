import { reasonOf } from '../errors/index.js';
import { mintId } from '../supervise/ids.js';
import type { TaskTrust } from '../task/index.js';
import { shorten } from '../text/index.js';
import type { EgressPolicy } from '../wasm/egress/index.js';
import type { PeerMessage, PeerTask } from '../wasm/index.js';
import { type PeerAddress, parsePeerUrl } from './address.js';
import { type PeerWords, readCard } from './card.js';
import { askPeer, DeniedError, type ExchangeLimits } from './exchange.js';
import { readAnswer, sendBody } from './message.js';

export interface PeerLimits {
  readonly card: ExchangeLimits;
  readonly send: ExchangeLimits;
  /** Of the request: no door of this runtime takes more (spec/door.md section 2). */
  readonly requestBytes: number;
}

export const peerLimits: PeerLimits = {
  card: { connectMs: 5_000, totalMs: 10_000, bodyBytes: 1024 * 1024 },
  // An agent that does not answer before its task is over is waited for as long as a short task may take.
  send: { connectMs: 5_000, totalMs: 60_000, bodyBytes: 4 * 1024 * 1024 },
  requestBytes: 8 * 1024 * 1024,
};

export interface SendOptions {
  /** The rules of the component that sends. */
  readonly policy: EgressPolicy;
  /** Of the task it sends for; `untrusted` where there is none. */
  readonly trust: TaskTrust;
  /** Of that task. */
  readonly traceparent: string | null;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly limits?: PeerLimits;
}

const cardPath = '/.well-known/agent-card.json';

/**
 * The task of the peer at `url` that took `message`. Rejects with an error whose message is the guest's `err`: a URL that is none or that no
 * rule allows before anything is sent, else which peer did not take the message, and why.
 */
export async function sendToPeer(url: string, message: PeerMessage, options: SendOptions): Promise<PeerTask> {
  const address = parsePeerUrl(url);
  const { policy, trust, traceparent, signal, limits = peerLimits } = options;
  const words = await wordsOf(address, options, limits);
  const requestId = mintId('req');
  const body = sendBody(words, requestId, message);
  const size = Buffer.byteLength(body);
  if (size > limits.requestBytes)
    throw new Error(`the message makes a request of ${size} bytes, and no peer takes more than ${limits.requestBytes}`);
  const headers = [
    ...[accept, ['content-type', 'application/json'] as const],
    ...(words.dialect === 'v1' ? [version] : []),
    ['x-murmur-task-origin', 'peer'] as const,
    ['x-murmur-task-trust', trust] as const,
    ...(traceparent === null ? [] : [['traceparent', traceparent] as const]),
  ];
  const path = address.path === '/' ? (words.path ?? '/') : address.path;
  return about(address, async () => {
    const answer = await askPeer(policy, address, { method: 'POST', path, headers, body }, limits.send, signal);
    return readAnswer(answer, requestId, message);
  });
}

const accept = ['accept', 'application/json'] as const;
const version = ['a2a-version', '1.0'] as const;

/** How the peer is spoken to. One that has no card is a capsule of long ago, or will say itself that it is no agent. */
function wordsOf(address: PeerAddress, { policy, signal }: SendOptions, limits: PeerLimits): Promise<PeerWords> {
  return about(address, async () => {
    const request = { method: 'GET', path: cardPath, headers: [accept, version] } as const;
    const { status, body } = await askPeer(policy, address, request, limits.card, signal);
    return status === 200 ? readCard(body) : { dialect: 'murmur' };
  });
}

/** A refusal of our own rules says everything; what the peer did is told with its address. */
async function about<Value>({ text }: PeerAddress, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DeniedError) throw error;
    throw new Error(`the peer '${shorten(text, 200)}' did not take the message: ${reasonOf(error)}`, { cause: error });
  }
}

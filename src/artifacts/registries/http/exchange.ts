/**
 * One request and the head of its answer, redirects followed. The body is read by body.ts. Node's own client, because it gives the
 * address it connected to and never decodes a body; the built-in fetch hides both.
 *
 * Does not stop: a key that an operator sends to an http address in the clear, and a host that answers for a name it has stolen.
 */
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Secret } from '../../../errors/index.js';
import { MurError } from '../../../errors/index.js';
import { isPrivateAddress } from '../../../policy/network.js';
import { murVersion } from '../../../version.js';
import { redirectTarget } from './address.js';
import { seconds } from './deadline.js';
import { connectionFailure, NoAnswer } from './failure.js';
import type { HttpLimits } from './limits.js';
import { publicLookup, refusePrivateLiteral } from './lookup.js';

export interface Outgoing {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Goes as a bearer token to the origin of `url`, and is dropped for good once a redirect leaves it. */
  readonly credential?: Secret | undefined;
  readonly body?: Uint8Array;
  /** The address was named by a public server, not by the operator: it may not be a private one. */
  readonly isFromPublic?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Where it came from in the end. */
  readonly url: URL;
  /** Must be read or destroyed. */
  readonly body: IncomingMessage;
}

/** Throws `NoAnswer` when no answer was had, `MurError` when `signal` interrupted it. */
export async function exchange(out: Outgoing, limits: HttpLimits, signal: AbortSignal): Promise<Answer> {
  let url = out.url;
  let isHome = true;
  let cameFromPublic = out.isFromPublic ?? false;
  for (let hops = 0; ; hops += 1) {
    if (cameFromPublic) refusePrivateLiteral(url);
    const body = await send(out, { url, isHome, cameFromPublic }, limits, signal);
    const status = body.statusCode ?? 0;
    let target: URL | undefined;
    try {
      target = redirectTarget(out.method, url, status, body.headers.location);
      if (target !== undefined && hops === limits.redirects) {
        throw new NoAnswer(`redirected more than ${limits.redirects} times`);
      }
    } catch (error) {
      body.destroy();
      throw error;
    }
    if (target === undefined) return { status, headers: body.headers, url, body };
    // Only an address that the operator named, or one it named in turn, may lead into a private network. One we cannot tell may not.
    const peer = body.socket?.remoteAddress;
    cameFromPublic = peer === undefined || !isPrivateAddress(peer);
    isHome &&= target.origin === url.origin;
    url = target;
    body.destroy();
  }
}

interface Hop {
  readonly url: URL;
  readonly isHome: boolean;
  readonly cameFromPublic: boolean;
}

async function send(out: Outgoing, hop: Hop, limits: HttpLimits, signal: AbortSignal): Promise<IncomingMessage> {
  signal.throwIfAborted();
  const { url, isHome, cameFromPublic } = hop;
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: out.method,
    // A connection of its own: nothing is left open, and no answer can be mistaken for that of another request.
    agent: false,
    headers: {
      'user-agent': `mur/${murVersion}`,
      'accept-encoding': 'identity',
      ...out.headers,
      ...(out.body === undefined ? {} : { 'content-length': String(out.body.length) }),
      ...(out.credential !== undefined && isHome ? { authorization: bearer(out.credential) } : {}),
    },
    ...(cameFromPublic ? { lookup: publicLookup } : {}),
  });
  const stop = (): void => void request.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await answerTo(request, out.body, limits);
  } catch (error) {
    request.destroy();
    if (signal.aborted) throw signal.reason;
    throw connectionFailure(error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** An answer that comes before the body is sent ends the sending: it is usually a refusal. */
async function answerTo(request: ClientRequest, body: Uint8Array | undefined, limits: HttpLimits) {
  let isAnswered = false;
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', (response) => {
      isAnswered = true;
      // Whoever reads the body hears of its end; a body that nobody reads may end as it likes.
      response.on('error', () => {});
      resolve(response);
    });
    request.on('error', reject);
    request.once('close', () => reject(new NoAnswer('request failed: the connection closed', { isPassing: true })));
  });
  if (body === undefined) {
    request.end();
    return answer;
  }
  // Idle: the server neither takes bytes nor answers. How long it takes in all is for the caller's signal to bound.
  request.setTimeout(limits.requestMs, () => {
    request.destroy(new NoAnswer(`request failed: nothing moved for ${seconds(limits.requestMs)}`));
  });
  answer.catch(() => {});
  const step = 64 * 1024;
  for (let at = 0; at < body.length && !isAnswered; at += step) {
    if (!request.write(body.subarray(at, at + step))) await Promise.race([once(request, 'drain'), answer]);
  }
  if (!isAnswered) request.end();
  return answer;
}

function bearer(credential: Secret): string {
  const value = credential.reveal();
  // Node's own message for this would quote nothing, but it would not say which value either.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new MurError('E-IO-003', 'a registry token holds a character that a request header cannot carry', {
      hint: 'check NEXUS_API_KEY, GITHUB_TOKEN and the token: of the sources',
    });
  }
  return `Bearer ${value}`;
}

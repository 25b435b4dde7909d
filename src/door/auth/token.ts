import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../../errors/index.js';

/** One kind of token (spec/door.md 16.1): two families never accept each other's tokens, whatever key they share. */
export interface TokenFamily {
  /** First segment of the text: `mdt1`. */
  readonly tag: string;
  /** First thing the MAC covers: `murmur-door-token-v1`. */
  readonly domain: string;
}

export type OpenedToken =
  | { readonly ok: true; readonly payload: unknown }
  /** `malformed`: not a token of this family at all. `not-valid`: one, but not made with this key for these bound values. */
  | { readonly ok: false; readonly error: 'malformed' | 'not-valid' };

const separator = Buffer.from([0x1f]);

/**
 * A key that tokens are made and checked with: 32 random bytes that never leave this object. Erasing it revokes every token.
 *
 * Does not stop: a reader of this process's memory before `erase`, or of a copy the crypto library kept.
 */
export class TokenKey {
  readonly #bytes = randomBytes(32);
  #isErased = false;

  /** `<tag>.<payload>.<MAC>` for a payload of plain JSON. `bound` values are covered and not contained. */
  mint({ tag, domain }: TokenFamily, payload: unknown, bound: readonly string[] = []): Secret {
    if (this.#isErased) throw new Error('the token key was erased');
    const body = Buffer.from(JSON.stringify(payload), 'utf8').toString('base64url');
    return new Secret(`${tag}.${body}.${this.#mac(domain, body, bound).toString('base64url')}`);
  }

  /** The payload of a token this key made for this family and these bound values. Compares in constant time; never throws. */
  open({ tag, domain }: TokenFamily, token: string, bound: readonly string[] = []): OpenedToken {
    const [head, body, mac, ...rest] = token.split('.');
    const presented = decode(mac);
    if (
      head !== tag ||
      rest.length > 0 ||
      body === undefined ||
      decode(body) === undefined ||
      presented === undefined
    ) {
      return { ok: false, error: 'malformed' };
    }
    const expected = this.#mac(domain, body, bound);
    const isOurs = presented.length === expected.length && timingSafeEqual(presented, expected);
    if (!isOurs || this.#isErased) return { ok: false, error: 'not-valid' };
    return { ok: true, payload: JSON.parse(decode(body)!.toString('utf8')) };
  }

  /** Zeroes the key. From then on no token opens. */
  erase(): void {
    this.#isErased = true;
    this.#bytes.fill(0);
  }

  #mac(domain: string, body: string, bound: readonly string[]): Buffer {
    const hmac = createHmac('sha256', this.#bytes).update(domain).update(separator).update(body);
    for (const value of bound) hmac.update(separator).update(value);
    return hmac.digest();
  }
}

/** The first 16 hex digits of a token's SHA-256: the only thing of it that may be logged. */
export function tokenId(token: Secret): string {
  return createHash('sha256').update(token.reveal()).digest('hex').slice(0, 16);
}

/** The bytes of one segment. Only the one spelling an encoder writes counts: a second spelling of a token would be a second token. */
function decode(segment: string | undefined): Buffer | undefined {
  if (segment === undefined || segment === '') return undefined;
  const bytes = Buffer.from(segment, 'base64url');
  return bytes.toString('base64url') === segment ? bytes : undefined;
}

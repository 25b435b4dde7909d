import type { IncomingMessage } from 'node:http';
import { refusalBody } from '../respond.js';
import type { Caller, DoorAuth } from './door-auth.js';
import { scopeOf } from './scopes.js';

/** A refusal at the HTTP level, never a JSON-RPC one (spec/door.md 16.2). */
export interface AuthRefusal {
  readonly status: 401 | 403;
  readonly body: string;
  readonly headers: { readonly 'www-authenticate': string };
}

export type Authenticated = { readonly caller: Caller } | { readonly refusal: AuthRefusal };

/**
 * Who asks, or the refusal to answer with. Looks at the `Authorization` header alone, so a refusal tells nothing of what the path, the
 * body or the method would have come to. `capsule` is the realm.
 *
 * Does not stop: guessing at any rate, which 256 bits of MAC make hopeless; a token read on the way, for this door has no TLS.
 */
export function authenticate(auth: DoorAuth, capsule: string, request: IncomingMessage): Authenticated {
  const presented = request.headersDistinct.authorization ?? [];
  const [value] = presented;
  if (value === undefined) {
    const message = "this door takes a token this capsule's runtime minted, as Authorization: Bearer <token>";
    return { refusal: refusal(401, 'unauthenticated', message, realm(capsule)) };
  }
  const [, token] = /^bearer +(\S+)$/i.exec(value) ?? [];
  const caller = presented.length === 1 && token !== undefined ? auth.callerOf(token) : undefined;
  if (caller !== undefined) return { caller };
  const message = 'the Authorization header does not present a token this session minted';
  return { refusal: refusal(401, 'invalid_token', message, `${realm(capsule)}, error="invalid_token"`) };
}

/** The refusal of a method that the caller's scopes do not reach; `undefined` when they do. */
export function refuseMethod(caller: Caller, capsule: string, method: string): AuthRefusal | undefined {
  const scope = scopeOf(method);
  if (scope === undefined || caller.scopes.has(scope)) return undefined;
  const challenge = `${realm(capsule)}, error="insufficient_scope", scope="${scope}"`;
  return refusal(403, 'insufficient_scope', `credential '${caller.credential}' does not reach ${scope}`, challenge);
}

function refusal(status: 401 | 403, error: string, message: string, challenge: string): AuthRefusal {
  return { status, body: refusalBody(error, message), headers: { 'www-authenticate': `Bearer ${challenge}` } };
}

/** As a quoted string of RFC 9110. What a header cannot carry is left out: Node would throw on it. */
function realm(capsule: string): string {
  const text = capsule.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&');
  return `realm="${text}"`;
}

/**
 * The dialects of the door: one task model, several codecs, chosen per request (spec/door.md section 0).
 * Read next: pick.ts (who speaks), dialect.ts (what a codec is), murmur.ts (the first one).
 */
import type { RpcOutcome, RpcRequest } from '../json-rpc.js';
import { rpcErrors } from '../json-rpc.js';
import type { Dialect, DialectContext } from './dialect.js';
import { murmur } from './murmur.js';
import { type DialectName, pickDialect } from './pick.js';

/** The codecs of this build. A request in a dialect that is not here is recognised and answered -32601 in its shape. */
const dialects: Readonly<Partial<Record<DialectName, Dialect>>> = { mur: murmur };

/** The answer to one request, whatever dialect it speaks. */
export function answer(request: RpcRequest, version: string | undefined, context: DialectContext): RpcOutcome {
  const picked = pickDialect(request, version);
  if ('error' in picked) return { error: picked.error };
  return dialects[picked.dialect]?.call(request, context) ?? { error: rpcErrors.method };
}

export type { Dialect, DialectContext } from './dialect.js';
export { murmur } from './murmur.js';
export { type DialectName, isVersionOne, pickDialect } from './pick.js';

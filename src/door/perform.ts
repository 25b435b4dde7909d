import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AuthRefusal, type Caller, refuseMethod } from './auth/index.js';
import { type DialectAnswer, type DialectContext, dialects, pickDialect } from './dialects/index.js';
import { type RpcRequest, rpcErrors } from './json-rpc.js';
import type { DoorSite } from './site.js';
import { readTaskHeaders } from './task-headers.js';

/** One request, read by the binding that carried it. */
export interface Asked {
  readonly rpc: RpcRequest;
  /** The `A2A-Version` header; several lines of it are joined, which makes no version. */
  readonly version: string | undefined;
}

export type Performed = Awaited<DialectAnswer> | { readonly refused: AuthRefusal };

/** The one `A2A-Version` of a request. */
export function versionOf({ headers }: IncomingMessage): string | undefined {
  const version = headers['a2a-version'];
  return typeof version === 'string' ? version : undefined;
}

/**
 * What comes of an operation, whichever binding carried it (spec/door.md 2.1, steps 8 to 14). How that is written, and what a stream
 * looks like, is the binding's.
 */
export async function perform(
  site: DoorSite,
  caller: Caller | undefined,
  { headers }: IncomingMessage,
  response: ServerResponse,
  { rpc, version }: Asked,
): Promise<Performed> {
  const picked = pickDialect(rpc, version);
  if ('error' in picked) return picked;
  const refused = caller && outOfReach(site, caller, rpc.method);
  if (refused !== undefined) return { refused };
  // Inherits from the site: a copy of all that is in it would be most of the work of a small answer.
  const context = {
    __proto__: site,
    headers: readTaskHeaders(headers),
    onLeft: leaving(response),
  } as unknown as DialectContext;
  return answered(() => dialects[picked.dialect].call(rpc, context));
}

/** What a dialect answers; -32603 where it, or the session behind it, threw. */
async function answered(ask: () => DialectAnswer): Promise<Awaited<DialectAnswer>> {
  try {
    return await ask();
  } catch {
    return { error: rpcErrors.internal };
  }
}

/** Calls back when the connection of this answer is gone before the answer is. Few answers wait for anything. */
function leaving(response: ServerResponse): DialectContext['onLeft'] {
  return (gone) => {
    if (response.destroyed) return gone();
    response.once('close', () => {
      if (!response.writableFinished) gone();
    });
  };
}

/**
 * The refusal of a method this caller does not reach. A method nobody serves is the dialect's to answer: that error comes first
 * (spec/door.md 2.1). A completion needs the scope of its method too: the header that says so is anybody's.
 */
function outOfReach({ methods, capsuleName }: DoorSite, caller: Caller, method: string): AuthRefusal | undefined {
  return methods.includes(method) ? refuseMethod(caller, capsuleName, method) : undefined;
}

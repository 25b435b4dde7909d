/** JSON-RPC 2.0 as the door speaks it (spec/door.md section 5): parsing a body, writing a reply. */
import { isNestedTooDeep } from '../text/nesting.js';

export interface RpcRequest {
  readonly jsonrpc: string;
  readonly method: string;
  /** Any JSON; the dialect decides what it takes. `undefined` where the request has none, which is refused once the rest was found well. */
  readonly id: unknown;
  /** Absent when the request has none; not yet checked to be an object. */
  readonly params?: unknown;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError };

export const rpcErrors = {
  parse: { code: -32700, message: 'Parse error' },
  /** What A2A 1.0 says instead of `parse`. */
  parseV1: { code: -32700, message: 'Invalid JSON payload' },
  request: { code: -32600, message: 'Request payload validation error' },
  method: { code: -32601, message: 'Method not found' },
  internal: { code: -32603, message: 'Internal error' },
  queue: { code: -32603, message: 'internal error: queue send failed' },
} as const satisfies Record<string, RpcError>;

export function invalidParams(why: string): RpcError {
  return { code: -32602, message: `Invalid params: ${why}` };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What these bytes are as JSON. Throws when they are none, or no UTF-8. */
export function parseJson(bytes: Uint8Array): unknown {
  return JSON.parse(utf8.decode(bytes));
}

export type ParsedBody =
  | { readonly ok: true; readonly request: RpcRequest }
  | { readonly ok: false; readonly id: unknown; readonly error: RpcError };

/** The request in `bytes`, or the error to answer with and the id to answer under. Never throws. */
export function parseBody(bytes: Uint8Array): ParsedBody {
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch {
    return { ok: false, id: null, error: rpcErrors.parse };
  }
  if (!isObject(value)) return { ok: false, id: null, error: rpcErrors.request };
  const { jsonrpc, method, id, params } = value;
  // An id that could not be written back is none, and nothing is done under it.
  if (typeof jsonrpc !== 'string' || typeof method !== 'string' || isNestedTooDeep(id)) {
    return { ok: false, id: isStandardId(id) ? id : null, error: rpcErrors.request };
  }
  return { ok: true, request: { jsonrpc, method, id, ...(params === undefined ? {} : { params }) } };
}

/** True for an id that every dialect takes. */
export function isStandardId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isInteger(id);
}

/** True for an envelope that every dialect takes, be it without an id. */
export function isStrict({ jsonrpc, id }: RpcRequest): boolean {
  return jsonrpc === '2.0' && (id === undefined || isStandardId(id));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The body of a reply; an internal error in place of a result that is longer than any text can be. */
export function replyBody(id: unknown, outcome: RpcOutcome): string {
  try {
    return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, ...outcome });
  } catch {
    return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: rpcErrors.internal });
  }
}

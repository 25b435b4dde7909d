import { type RpcError, rpcErrors } from '../json-rpc.js';
import type { DialectContext } from './dialect.js';
import { a2aError, plain } from './errors.js';

/**
 * Why a completion (`x-murmur-task-origin: completion`) is refused, or `undefined` for a request that is none
 * (spec/door.md section 13). No task of this build waits for a delegation, so every completion is refused; it must never
 * become a task of its own.
 *
 * A2A 1.0 (`style` v1) has codes for it; the older dialects answer one code with the same texts.
 */
export function completionRefusal(
  method: string,
  { headers, sessionId }: DialectContext,
  style: 'v1' | 'older',
): RpcError | undefined {
  if (headers.origin !== 'completion') return undefined;
  const { completionSession: addressedSession, delegationId } = headers;
  const worded = (error: RpcError) => (style === 'v1' ? error : { ...plain(error), code: -32004 });
  if (addressedSession !== sessionId) {
    const message = `completion is addressed to session ${addressedSession}, which is not the session running here`;
    return worded(a2aError(-31001, 'COMPLETION_MISADDRESSED', message, { addressedSession }, domain));
  }
  if (method !== (style === 'v1' ? 'SendMessage' : 'message/send')) return rpcErrors.method;
  const message =
    delegationId === ''
      ? 'completion names no delegation in x-murmur-delegation-id, so no task in this session is waiting for it'
      : `no task in this session is waiting for delegation ${delegationId}`;
  return worded(a2aError(-31002, 'COMPLETION_NOT_AWAITED', message, { delegationId }, domain));
}

const domain = 'murmur.nexus';

import { type RpcError, rpcErrors } from '../json-rpc.js';
import type { DialectContext } from './dialect.js';

const code = -32004;

/**
 * Why a completion (`x-murmur-task-origin: completion`) is refused, or `undefined` for a request that is none
 * (spec/door.md section 13). No task of this build waits for a delegation, so every completion is refused; it must never
 * become a task of its own.
 */
export function completionRefusal(method: string, { headers, sessionId }: DialectContext): RpcError | undefined {
  if (headers.origin !== 'completion') return undefined;
  if (headers.completionSession !== sessionId) {
    const message = `completion is addressed to session ${headers.completionSession}, which is not the session running here`;
    return { code, message };
  }
  if (method !== 'message/send') return rpcErrors.method;
  const message =
    headers.delegationId === ''
      ? 'completion names no delegation in x-murmur-delegation-id, so no task in this session is waiting for it'
      : `no task in this session is waiting for delegation ${headers.delegationId}`;
  return { code, message };
}

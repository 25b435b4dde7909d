import type { TaskSnapshot } from '../../task/index.js';
import type { RpcRequest } from '../json-rpc.js';
import type { DialectContext } from './dialect.js';

/**
 * True for a request of a Murmur runtime, which counts on an answer at once in every dialect (spec/door.md section 6): it
 * says so in an `x-murmur-*` header or in the id it chose.
 */
export function isFromRuntime({ id }: RpcRequest, { headers }: DialectContext): boolean {
  return headers.fromRuntime || (typeof id === 'string' && /^(dlg|mcl)_/.test(id));
}

/** The task once it ended or waits for a person. Rejects when the caller leaves. Holds up nothing but this one answer. */
export function settledTask({ taskId }: TaskSnapshot, { tasks, onLeft }: DialectContext): Promise<TaskSnapshot> {
  return new Promise((resolve, reject) => {
    const stop = tasks.settled(taskId, resolve);
    onLeft(() => {
      stop();
      reject(new Error('the caller left'));
    });
  });
}

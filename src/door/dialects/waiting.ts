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

/** The task once it ended or waits for a person. Holds up nothing but this one answer. */
export function settledTask(task: TaskSnapshot, { tasks, left }: DialectContext): Promise<TaskSnapshot> {
  return tasks.settled(task.taskId, left());
}

import type { TaskMessage } from '../../task/index.js';
import { invalidParams, type RpcError } from '../json-rpc.js';
import type { TaskPort } from '../port.js';

/** Why `historyLength` is none; `undefined` when it is absent or a count. */
export function refuseHistoryLength(value: unknown): RpcError | undefined {
  if (value === undefined || value === null || (Number.isInteger(value) && Number(value) >= 0)) return undefined;
  return invalidParams('historyLength must be a whole number that is not negative');
}

/** The newest `length` messages of a task, oldest first; all of them when `length` is absent. */
export function historyOf(tasks: TaskPort, taskId: string, length: unknown): readonly TaskMessage[] {
  const all = tasks.history(taskId);
  return typeof length === 'number' ? all.slice(Math.max(0, all.length - length)) : all;
}

import type { TaskRegistry } from './registry.js';
import { isFinal, type TaskSnapshot } from './types.js';

/** True when nothing more happens to the task by itself: it ended, or it waits for a person. */
export function isSettled({ state }: TaskSnapshot): boolean {
  return isFinal(state) || state === 'input-required';
}

/**
 * The task once it is settled, at once when it already is. Rejects with the signal's reason when the caller leaves, which
 * changes nothing about the task, and with an error for an unknown id.
 */
export function settled(registry: TaskRegistry, taskId: string, signal: AbortSignal): Promise<TaskSnapshot> {
  return new Promise((resolve, reject) => {
    const now = registry.get(taskId);
    if (now === undefined) return reject(new Error(`no task ${taskId}`));
    if (signal.aborted) return reject(signal.reason);
    if (isSettled(now)) return resolve(now);
    const leave = () => {
      unwatch();
      reject(signal.reason);
    };
    const unwatch = registry.follow(taskId, (task) => {
      if (!isSettled(task)) return;
      unwatch();
      signal.removeEventListener('abort', leave);
      resolve(task);
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}

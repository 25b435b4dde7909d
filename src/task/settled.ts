import type { TaskRegistry } from './registry.js';
import { isFinal, type TaskSnapshot } from './types.js';

/** True when nothing more happens to the task by itself: it ended, or it waits for a person. */
export function isSettled({ state }: TaskSnapshot): boolean {
  return isFinal(state) || state === 'input-required';
}

/**
 * Tells `told` the task once it is settled, at once when it already is. The function it gives stops the wait, which changes nothing about
 * the task. Throws for an unknown id.
 */
export function settled(registry: TaskRegistry, taskId: string, told: (task: TaskSnapshot) => void): () => void {
  const now = registry.get(taskId);
  if (now === undefined) throw new Error(`no task ${taskId}`);
  if (isSettled(now)) {
    told(now);
    return () => undefined;
  }
  const unfollow = registry.follow(taskId, (task) => {
    if (!isSettled(task)) return;
    unfollow();
    told(task);
  });
  return unfollow;
}

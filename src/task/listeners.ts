import type { TaskSnapshot } from './types.js';

/**
 * What happened to a task. `answered` is a reply delivered, `unasked` a question taken back; `ended` comes exactly once for each task
 * that is not withdrawn, refused ones included.
 */
export type TaskChange = 'submitted' | 'started' | 'asked' | 'answered' | 'unasked' | 'ended';

/** Hears of each change at the moment it happens. Must not throw and must not change the registry. */
export type TaskListener = (task: TaskSnapshot, change: TaskChange) => void;

/** Who hears of changes: some of every task, some of one. */
export class TaskListeners {
  readonly #ofAll = new Set<TaskListener>();
  readonly #ofOne = new Map<string, Set<TaskListener>>();

  /** Returns what ends it. */
  watch(listener: TaskListener): () => void {
    this.#ofAll.add(listener);
    return () => this.#ofAll.delete(listener);
  }

  /** Returns what ends it. */
  follow(taskId: string, listener: TaskListener): () => void {
    const followers = this.#ofOne.get(taskId) ?? new Set();
    this.#ofOne.set(taskId, followers.add(listener));
    return () => {
      followers.delete(listener);
      if (followers.size === 0 && this.#ofOne.get(taskId) === followers) this.#ofOne.delete(taskId);
    };
  }

  tell(task: TaskSnapshot, change: TaskChange): void {
    const followers = this.#ofOne.get(task.taskId) ?? [];
    for (const listener of [...this.#ofAll, ...followers]) listener(task, change);
  }
}

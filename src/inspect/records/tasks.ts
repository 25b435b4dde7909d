import type { JsonObject } from './lines.js';

/** Which task a message belongs to: the last one of its context that had started. */
export class Tasks {
  readonly #started = new Map<string, { readonly taskId: string; readonly at: number }[]>();

  heard({ event_type: type, task_id: taskId, context_id: contextId, timestamp }: JsonObject): void {
    if (type !== 'task_start' || typeof taskId !== 'string' || typeof contextId !== 'string') return;
    const tasks = this.#started.get(contextId) ?? [];
    this.#started.set(contextId, [...tasks, { taskId, at: typeof timestamp === 'number' ? timestamp : 0 }]);
  }

  /** Takes over what `other` knows of a context, without what is known already. */
  adopt(contextId: string, other: Tasks): void {
    const older = other.#started.get(contextId) ?? [];
    const known = this.#started.get(contextId) ?? [];
    const missing = older.filter(({ taskId }) => !known.some((task) => task.taskId === taskId));
    this.#started.set(contextId, [...missing, ...known]);
  }

  contexts(): string[] {
    return [...this.#started.keys()];
  }

  taskAt(contextId: string, at: number): string | undefined {
    return this.#started.get(contextId)?.findLast((task) => task.at <= at)?.taskId;
  }
}

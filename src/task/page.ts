import type { TaskSnapshot, TaskState } from './types.js';

/** Which tasks a listing holds; a filter left out filters nothing. */
export interface TaskFilter {
  readonly contextId?: string;
  readonly state?: TaskState;
  /** Unix milliseconds: tasks whose state changed then or later. */
  readonly changedSinceMs?: number;
}

/** A place in a listing: the last task of the page before. Stable while tasks come and go. */
export interface PageCursor {
  readonly updatedAtMs: number;
  readonly taskId: string;
}

export interface TaskPage {
  readonly tasks: readonly TaskSnapshot[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: PageCursor;
  /** Every task the filter lets through, on all pages. */
  readonly total: number;
}

/**
 * One page of `tasks`, newest change first (spec/door.md section 6). Of two changed in the same millisecond the younger
 * comes first: ids grow with time.
 */
export function pageOf(
  tasks: readonly TaskSnapshot[],
  filter: TaskFilter,
  page: { readonly size: number; readonly after?: PageCursor },
): TaskPage {
  const matching = tasks.filter((task) => matches(task, filter)).sort(newestFirst);
  const { after } = page;
  const rest = after === undefined ? matching : matching.filter((task) => newestFirst(after, task) < 0);
  const shown = rest.slice(0, page.size);
  const last = shown.at(-1);
  return {
    tasks: shown,
    total: matching.length,
    ...(last === undefined || rest.length === shown.length
      ? {}
      : { next: { updatedAtMs: last.updatedAtMs, taskId: last.taskId } }),
  };
}

function matches(task: TaskSnapshot, { contextId, state, changedSinceMs }: TaskFilter): boolean {
  return (
    (contextId === undefined || task.contextId === contextId) &&
    (state === undefined || task.state === state) &&
    (changedSinceMs === undefined || task.updatedAtMs >= changedSinceMs)
  );
}

function newestFirst(a: PageCursor, b: PageCursor): number {
  if (a.updatedAtMs !== b.updatedAtMs) return b.updatedAtMs - a.updatedAtMs;
  return a.taskId === b.taskId ? 0 : a.taskId < b.taskId ? 1 : -1;
}

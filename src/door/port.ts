import type { TaskRequest, TaskSnapshot } from '../task/index.js';

/** Something that still runs after a cancel (spec/door.md section 14), as plain JSON. */
export type ResidueItem = Readonly<Record<string, unknown>>;

/**
 * What the door asks of the session behind it. Every method answers at once and never waits for a turn, so the door
 * answers while a turn runs. A method that throws is answered as JSON-RPC -32603.
 */
export interface TaskPort {
  /**
   * The task that took the message: the waiting one when a task waits for input (its reply), else a new one under
   * `request.taskId`, `submitted` or `rejected`.
   */
  send(request: TaskRequest): TaskSnapshot;
  /** That task; without an id the active or last one. `undefined` when there is none. */
  get(taskId?: string): TaskSnapshot | undefined;
  /** The task after the cancel (an ended one unchanged) and what still runs; `undefined` for an unknown id. */
  cancel(taskId: string): { readonly task: TaskSnapshot; readonly residue: readonly ResidueItem[] } | undefined;
  /** Cancels every live task. Leave it out and the door does not offer `session/stop`. */
  stop?(): { readonly canceled: readonly string[]; readonly residue: readonly ResidueItem[] };
}

/**
 * What a session remembers of tasks that are over. The specification keeps them readable "for the life of the session" (spec/door.md
 * 6.1), which for a session without end is memory without end. So they stay for as long as anybody is likely to ask, the last to end
 * longest; an older one answers -32001, like one that never was. What the records hold of it (trace, result file) stays.
 */

/** Neither is exceeded, but for one task that is over the second by itself. */
export interface RetentionBound {
  readonly tasks: number;
  /** UTF-16 code units of the text they hold: one or two bytes of memory each. */
  readonly characters: number;
}

export const endedBound: RetentionBound = { tasks: 10_000, characters: 64 * 1024 * 1024 };
/** For tasks refused at the door, which cost their senders nothing. */
export const refusedBound: RetentionBound = { tasks: 256, characters: 4 * 1024 * 1024 };

/** Which of the tasks that are over stay readable: the last ones to end, as many as the bound has room for, one at least. */
export class Retention {
  readonly #bound: RetentionBound;
  /** Sizes by task id, the first to end first. */
  readonly #sizes = new Map<string, number>();
  #characters = 0;

  constructor(bound: RetentionBound) {
    this.#bound = bound;
  }

  /** Adds a task that just ended. Returns those that no longer stay. */
  add(taskId: string, characters: number): readonly string[] {
    this.#sizes.set(taskId, characters);
    this.#characters += characters;
    const gone: string[] = [];
    for (const [oldest, size] of this.#sizes) {
      const isOver = this.#sizes.size > this.#bound.tasks || this.#characters > this.#bound.characters;
      if (!isOver || oldest === taskId) break;
      this.#sizes.delete(oldest);
      this.#characters -= size;
      gone.push(oldest);
    }
    return gone;
  }
}

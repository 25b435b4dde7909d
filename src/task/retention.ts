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
  /** The first to end first. A list, because a `Map` that is emptied from its front steps over all it has lost each time it is read. */
  #ended: { readonly taskId: string; readonly characters: number }[] = [];
  /** Where in the list those begin that still count. */
  #first = 0;
  #characters = 0;

  constructor(bound: RetentionBound) {
    this.#bound = bound;
  }

  /** Adds a task that just ended. Returns those that no longer stay. */
  add(taskId: string, characters: number): readonly string[] {
    this.#ended.push({ taskId, characters });
    this.#characters += characters;
    const gone: string[] = [];
    while (this.#isOver && this.#count > 1) {
      const oldest = this.#ended[this.#first]!;
      this.#first += 1;
      this.#characters -= oldest.characters;
      gone.push(oldest.taskId);
    }
    if (this.#first > this.#count) this.#drop();
    return gone;
  }

  get #count(): number {
    return this.#ended.length - this.#first;
  }

  get #isOver(): boolean {
    return this.#count > this.#bound.tasks || this.#characters > this.#bound.characters;
  }

  /** Lets go of what no longer counts, once that is most of the list. */
  #drop(): void {
    this.#ended = this.#ended.slice(this.#first);
    this.#first = 0;
  }
}

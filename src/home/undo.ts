/** Steps that take back what was made, run last first. A step that fails does not stop the others. */
export class Undo {
  readonly #steps: (() => void)[] = [];

  add(step: () => void): void {
    this.#steps.push(step);
  }

  /** The same value, closed when the work is undone. */
  closing<T extends { close(): void }>(opened: T): T {
    this.add(() => opened.close());
    return opened;
  }

  run(): void {
    for (const step of this.#steps.reverse()) {
      try {
        step();
      } catch {
        // What made us undo is the error to report; this one would hide it.
      }
    }
  }
}

/** Promises that resolve when a condition has come true. Conditions are looked at again on every `wake`. */
export class Waiters {
  readonly #checks = new Set<() => void>();

  wake(): void {
    for (const check of [...this.#checks]) check();
  }

  /** Resolves once `isTrue()`, or after `timeoutMs`. Leaves no timer and no reference behind. */
  async until(isTrue: () => boolean, timeoutMs?: number): Promise<void> {
    if (isTrue() || timeoutMs === 0) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#checks.delete(check);
        resolve();
      };
      const check = (): void => {
        if (isTrue()) done();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs);
      this.#checks.add(check);
    });
  }
}

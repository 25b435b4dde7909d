import type { RefusalLatch } from './types.js';

/** A latch that keeps the first refusal and announces it once. */
export class Latch implements RefusalLatch {
  #refused: string | undefined;
  onRefusal?: (refusal: string) => void;

  get refused(): string | undefined {
    return this.#refused;
  }

  set(refusal: string): void {
    if (this.#refused !== undefined) return;
    this.#refused = refusal;
    this.onRefusal?.(refusal);
  }
}

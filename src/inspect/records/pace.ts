import { limits } from '../limits.js';

/**
 * Breaks long work into slices. `await pace()` between two steps: it returns at once until a slice is used up, and then rests
 * `restFactor` times as long.
 */
export function createPace(restFactor: number = limits.restFactor): () => Promise<void> {
  let startedAt = performance.now();
  return async () => {
    const tookMs = performance.now() - startedAt;
    if (tookMs < limits.sliceMs) return;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, tookMs * restFactor);
    });
    startedAt = performance.now();
  };
}

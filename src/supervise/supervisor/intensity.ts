import { MurError } from '../../errors/index.js';
import type { Intensity } from './spec.js';

/** What a supervisor ends with when restarting did not help. Its parent sees it as `xstate.error.actor.<supervisor>`. */
export class RestartIntensityError extends MurError {
  constructor(supervisor: string, child: string, intensity: Intensity, cause: unknown) {
    super(
      'E-SUP-901',
      `supervisor ${supervisor}: child ${child} needed one restart more than the ${intensity.maxRestarts} allowed within ${intensity.withinMs} ms`,
      { hint: 'the cause is how the child ended the last time', details: { supervisor, child, ...intensity }, cause },
    );
    this.name = 'RestartIntensityError';
  }
}

/** Throws `RangeError` unless the intensity is one a supervisor can count with. */
export function checkIntensity(intensity: Intensity): void {
  if (!Number.isInteger(intensity.maxRestarts) || intensity.maxRestarts < 0) {
    // A limit is what keeps a child that fails while starting from spinning for ever inside one event.
    throw new RangeError(`maxRestarts is ${intensity.maxRestarts}; expected a whole number from 0`);
  }
  if (!(intensity.withinMs > 0)) throw new RangeError(`withinMs is ${intensity.withinMs}; expected a number above 0`);
}

/** The restarts of the last `withinMs` milliseconds. */
export class RestartWindow {
  readonly #intensity: Intensity;
  #restartsAt: number[] = [];

  constructor(intensity: Intensity) {
    this.#intensity = intensity;
  }

  /** Counts a restart at monotonic time `now`; true when that is one too many. */
  exceeds(now: number): boolean {
    const since = now - this.#intensity.withinMs;
    this.#restartsAt = this.#restartsAt.filter((at) => at >= since);
    this.#restartsAt.push(now);
    return this.#restartsAt.length > this.#intensity.maxRestarts;
  }
}

import { isMurError, MurError } from '../../../errors/index.js';
import { NoAnswer } from './failure.js';

/** A signal that aborts after a time or with an outer signal, whichever is first. Call `end` when it is no longer needed. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #endsAt: number;
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number, outer?: AbortSignal) {
    this.#outer = outer;
    this.#endsAt = performance.now() + ms;
    this.#timer = setTimeout(
      () => this.#controller.abort(new NoAnswer(`request failed: no whole answer within ${seconds(ms)}`)),
      ms,
    );
    if (outer?.aborted === true) this.#interrupt();
    else outer?.addEventListener('abort', this.#interrupt, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#interrupt);
  }

  /** A deadline above this one says itself why it ended; anything else is somebody who does not want to wait. */
  readonly #interrupt = (): void => {
    const reason: unknown = this.#outer?.reason;
    this.#controller.abort(reason instanceof NoAnswer || isMurError(reason) ? reason : interrupted());
  };
}

export function interrupted(): MurError {
  return new MurError('E-IO-003', 'the transfer was interrupted', { hint: 'what was received is kept; try again' });
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

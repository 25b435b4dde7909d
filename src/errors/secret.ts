import { inspect } from 'node:util';

/**
 * A value that prints `<redacted>` wherever it is shown: string conversion, JSON, console, template text.
 *
 * Does not stop: code that calls `reveal()`, or a copy of the text taken before it was wrapped.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret text. Call it only at the one place that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '<redacted>';
  }

  toJSON(): string {
    return '<redacted>';
  }

  [inspect.custom](): string {
    return 'Secret(<redacted>)';
  }
}

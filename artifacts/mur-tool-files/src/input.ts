/** The call's input as typed values. A wrong or missing one is a `Failure` that names it. */

import { Failure } from '../../lib/failure.js';
import { isObject, type JsonObject, kind, parse } from '../../lib/json.js';
import { normalize } from '../../lib/path.js';
import { wellFormed } from '../../lib/utf8.js';

export const actions = ['list', 'read', 'write', 'edit', 'search'] as const;
export type Action = (typeof actions)[number];

export class Input {
  readonly #values: JsonObject;
  readonly action: Action;

  constructor(data: string | null) {
    const values = data === null ? undefined : parse(data);
    if (!isObject(values))
      throw new Failure(
        `the input must be a JSON object with an action, got ${values === undefined ? 'no JSON' : kind(values)}`,
      );
    this.#values = values;
    const action = actions.find((name) => name === values.action);
    if (!action)
      throw new Failure(`action must be one of ${actions.join(', ')}, got ${JSON.stringify(values.action) ?? 'none'}`);
    this.action = action;
  }

  /** The path, normalised. Absent means the work folder where `otherwise` allows it. */
  path(otherwise?: '.'): string {
    return normalize(otherwise !== undefined && this.#values.path === undefined ? otherwise : this.text('path'));
  }

  text(key: string): string {
    const value = this.#values[key];
    if (typeof value === 'string') return value;
    throw new Failure(`action ${this.action} needs ${key} as a text, got ${kind(value)}`);
  }

  /** A text that can be stored as UTF-8. */
  storable(key: string): string {
    const text = this.text(key);
    if (wellFormed(text) === text) return text;
    throw new Failure(`${key} holds half of a surrogate pair, which is no character; write the whole character`);
  }

  flag(key: string): boolean {
    const value = this.#values[key];
    if (value === undefined || value === null || typeof value === 'boolean') return value === true;
    throw new Failure(`${key} must be true or false, got ${JSON.stringify(value)}`);
  }

  /** A whole number between 1 and `most`. */
  number(key: string, otherwise: number, most: number): number {
    const value = this.#values[key];
    if (value === undefined || value === null) return otherwise;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return Math.min(value, most);
    throw new Failure(`${key} must be a whole number of at least 1, got ${JSON.stringify(value)}`);
  }
}

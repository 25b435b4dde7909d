/** Readers of JSON that a server sent. Each answers `undefined` for a value of another type, so that a caller can refuse or pass over. */
import { isNestedTooDeep } from '../../../text/index.js';
import { NoAnswer } from './failure.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value of a JSON text. Throws `NoAnswer`; quotes nothing of it. */
export function parseAnswer(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NoAnswer('the answer is not JSON');
  }
  if (isNestedTooDeep(value)) throw new NoAnswer('the answer is JSON that is nested too deep');
  return value;
}

export function objectIn(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The strings of a list; everything else in it is left out. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

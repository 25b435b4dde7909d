import { kindOf } from './shape.js';
import type { Tree } from './tree.js';

/**
 * A free-form block delivered to an artifact as JSON (spec/manifest.md section 4.4).
 *
 * `problem` says why it cannot be delivered; the parser keeps such a block because the refusal belongs to staging.
 */
export interface ConfigBlock {
  /** The value with its mappings as plain objects. Key order of integer-like keys is not kept here, only in `json`. */
  readonly value: unknown;
  /** Compact JSON in the order it was written. Empty when `problem` is set. */
  readonly json: string;
  readonly problem?: string;
}

/** The block standing at `value` of `tree`, with whatever makes it undeliverable said in `problem`. */
export function readConfigBlock(tree: Tree, value: unknown): ConfigBlock {
  if (kindOf(value) !== 'mapping')
    return { value, json: '', problem: `declares a ${kindOf(value)}, expected a mapping` };
  const odd = tree.oddKeysOf(value as object)[0];
  if (odd !== undefined) return { value, json: '', problem: `its key '${odd}' is not a string` };
  const problem = jsonProblem(value, []);
  if (problem !== undefined) return { value, json: '', problem };
  return { value, json: orderedJson(tree, value) };
}

/** Why JSON cannot carry `value` exactly. */
function jsonProblem(value: unknown, path: readonly (string | number)[]): string | undefined {
  const where = path.join('.');
  if (typeof value === 'bigint') return `the integer at '${where}' is beyond ${Number.MAX_SAFE_INTEGER}`;
  if (typeof value === 'number' && !Number.isFinite(value)) return `the number at '${where}' has no JSON form`;
  if (typeof value !== 'object' || value === null) return undefined;
  const items = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, item] of items) {
    const problem = jsonProblem(item, [...path, key]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** `JSON.stringify` would move keys that look like integers to the front; the author's order is part of the contract. */
function orderedJson(tree: Tree, value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => orderedJson(tree, item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = tree
    .keysOf(value)
    .map((key) => `${JSON.stringify(key)}:${orderedJson(tree, (value as Record<string, unknown>)[key])}`);
  return `{${fields.join(',')}}`;
}

import { kindOf } from '../manifest/shape.js';
import type { BuildWarning } from './types.js';

const secretKey = /api_key|token|secret|password/i;
const reference = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/**
 * A `W-SEC-004` for every text that stands under a key named like a secret and reads like one (spec/artifacts.md section 3). Names the
 * path, never the value. Does not stop a secret under another key, or one that is eight characters or shorter.
 */
export function secretWarnings(tree: unknown): BuildWarning[] {
  return [...suspects(tree, '', false)].map((path) => ({
    code: 'W-SEC-004',
    message: `murmur.yaml: '${path}' holds what looks like a secret, and everybody who gets the artifact can read it`,
  }));
}

function* suspects(value: unknown, path: string, isNamed: boolean): Generator<string> {
  if (typeof value === 'string') {
    if (isNamed && isSecret(value)) yield path;
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* suspects(item, `${path}[${index}]`, isNamed);
  } else if (kindOf(value) === 'mapping') {
    for (const [key, item] of Object.entries(value as object)) {
      yield* suspects(item, path === '' ? key : `${path}.${key}`, secretKey.test(key));
    }
  }
}

function isSecret(text: string): boolean {
  const value = text.trim();
  return !reference.test(value) && (value.length > 8 || value.startsWith('sk-'));
}

/** The rows of spec/manifest.md sections 2 to 13, one file for each block, under the number of their section. Wrong YAML types: ../types.test.ts. */
import { expect, test } from 'vitest';
import { isMurError } from '../../../src/errors/index.js';
import { capabilityPolicyFromManifest, validateStaging } from '../../../src/policy/index.js';
import { capsule, parse } from '../support.js';

/** The field and code of a refusal at parse, or the code of one before staging, or `accepted`. */
export function outcome(text: string): string {
  try {
    const manifest = parse(text);
    const policy = capabilityPolicyFromManifest(manifest);
    validateStaging({ manifest, policy, lifecycle: manifest.lifecycle });
    return 'accepted';
  } catch (error) {
    if (!isMurError(error)) throw error;
    return `${error.code}${error.details?.field === undefined ? '' : ` ${error.details.field}`}`;
  }
}

export type Row = readonly [text: string, expected: string];

export function rows(id: string, list: readonly Row[], make: (text: string) => string = capsule): void {
  test.each(list.map(([text, expected]) => [`${id} ${text}`, text, expected]))('%s', (_, text, expected) => {
    expect(outcome(make(text))).toBe(expected);
  });
}

export const entry = (keys: string) => capsule(`artifacts:\n  - { name: a, version: 1, ${keys} }\n`);
export const caps = (keys: string) => capsule(`capabilities: { ${keys} }`);
export const long = (length: number) => 'a'.repeat(length);

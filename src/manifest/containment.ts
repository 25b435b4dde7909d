import type { Fault } from './report.js';
import type { Path } from './tree.js';

/** Containment classes, weakest first (spec/manifest.md section 6.4). */
export const containmentClasses = ['unconfined', 'advisory', 'scoped', 'sealed'] as const;

export type ContainmentClass = (typeof containmentClasses)[number];

export function isContainmentClass(word: string): word is ContainmentClass {
  return (containmentClasses as readonly string[]).includes(word);
}

export function readContainment(word: string, path: Path, fault: Fault): ContainmentClass {
  if (!isContainmentClass(word)) {
    throw fault(path, `unknown value '${word}'; expected one of: ${containmentClasses.join(', ')}`);
  }
  return word;
}

/** The strongest class of those that asked; `advisory` when nobody did. */
export function strongestContainment(votes: readonly (ContainmentClass | undefined)[]): ContainmentClass {
  const asked = votes.filter((vote) => vote !== undefined);
  if (asked.length === 0) return 'advisory';
  return asked.reduce((a, b) => (containmentClasses.indexOf(b) > containmentClasses.indexOf(a) ? b : a));
}

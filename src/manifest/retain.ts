import { durationSeconds } from './grammar.js';
import type { Fault } from './report.js';
import { kindOf } from './shape.js';
import type { Path } from './tree.js';

/** A count and an age of a `retain:` block; written empty it is refused, because it reads like "keep nothing". */
export function readRetain(
  raw: { readonly count?: number | null | undefined; readonly age?: string | number | null | undefined } | null,
  path: Path,
  countKey: string,
  fault: Fault,
): { readonly count: number | undefined; readonly maxAgeSeconds: number | undefined } {
  const count = raw?.count ?? undefined;
  const age = raw?.age ?? undefined;
  if (count === undefined && age === undefined) throw fault(path, `must set ${countKey} or max_age`);
  if (count !== undefined && count < 1) throw fault([...path, countKey], `must be greater than zero, got ${count}`);
  const maxAgeSeconds = age === undefined ? undefined : durationSeconds(age);
  if (age !== undefined && maxAgeSeconds === undefined) {
    const shown = typeof age === 'string' ? `'${age}'` : `${age} (${kindOf(age)})`;
    throw fault([...path, 'max_age'], `expected seconds or a number with s, m, h or d, above zero, got ${shown}`);
  }
  return { count, maxAgeSeconds };
}

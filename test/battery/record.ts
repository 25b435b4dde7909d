import type { BoxKind, Case } from './case.js';
import type { Class, Evidence, Expected, Verdict } from './verdict.js';
import { judge } from './verdict.js';

/** One attempt of one run, as the report has it. */
export interface Entry {
  readonly id: string;
  readonly from: string;
  readonly attempt: string;
  readonly kind: 'boundary' | 'ceiling' | 'work';
  readonly user: string;
  readonly held: Class;
  readonly player: 'stub' | 'koffi';
  readonly expected: Expected;
  readonly verdict: Verdict;
  readonly matches: boolean | null;
  readonly line: string;
  readonly note?: string;
  /** What this host lacks, so that the attempt could not be made. Never a pass. */
  readonly refused?: string;
}

export type Where = Pick<Entry, 'user' | 'held' | 'player'>;

export function entryOf(
  row: Omit<Case, 'code' | 'box' | 'short'> & { box?: BoxKind },
  where: Where,
  evidence: Evidence,
): Entry {
  const { id, from, attempt, kind, note } = row;
  const judged = judge(row, where.held, evidence);
  return {
    id,
    from,
    attempt,
    kind,
    ...where,
    expected: row.expect[where.held],
    ...judged,
    ...(note === undefined ? {} : { note }),
  };
}

/** A row that this host cannot run. */
export function refusedEntry(
  row: Pick<Case, 'id' | 'from' | 'attempt' | 'kind' | 'expect' | 'note'>,
  where: Where,
  refused: string,
): Entry {
  const { id, from, attempt, kind, note } = row;
  return {
    ...{ id, from, attempt, kind, ...where, expected: row.expect[where.held] },
    ...{ verdict: 'INCONCLUSIVE', matches: null, line: `not run: ${refused}`, refused },
    ...(note === undefined ? {} : { note }),
  };
}

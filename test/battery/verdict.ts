/**
 * What an attempt showed, as a verdict, and what a run amounts to. Pure (spec/escape-cases.md, Grading).
 */
export type Class = 'unconfined' | 'advisory' | 'scoped' | 'sealed';
export const classes: readonly Class[] = ['unconfined', 'advisory', 'scoped', 'sealed'];

/** `INCONCLUSIVE`: no usable evidence, which never passes. */
export type Verdict = 'REFUSED' | 'ALLOWED' | 'SUCCESS' | 'CONTAINED' | 'UNCONTAINED' | 'INCONCLUSIVE';

/** What is promised; `n/a`: nothing, so the verdict is recorded and never gates. */
export type Expected = Exclude<Verdict, 'INCONCLUSIVE' | 'UNCONTAINED'> | 'n/a';

/** What an attempt came back with, before anybody judges it. */
export interface Evidence {
  /** `through`: it did what it tried. `errno`: the kernel said no. `held`: a ceiling did. */
  readonly kind: 'through' | 'errno' | 'held' | 'none';
  readonly errno?: string;
  readonly detail: string;
}

/** The part of a case that grading reads. */
export interface Graded {
  readonly expect: Readonly<Record<Class, Expected>>;
  /** Which mechanism an errno speaks for, and what else could give the same. An errno that is not listed proves nothing. */
  readonly by: Readonly<Record<string, string>>;
}

export interface Judged {
  readonly verdict: Verdict;
  readonly line: string;
  readonly matches: boolean | null;
}

/** The verdict of one attempt. `matches` is null where nothing is promised. */
export function judge(graded: Graded, held: Class, evidence: Evidence): Judged {
  const expected = graded.expect[held];
  const { verdict, line } = verdictOf(graded, expected, evidence);
  return { verdict, line, matches: expected === 'n/a' ? null : verdict === expected };
}

function verdictOf({ by }: Graded, expected: Expected, evidence: Evidence): { verdict: Verdict; line: string } {
  const { kind, errno = '', detail } = evidence;
  const asksForCeiling = expected === 'CONTAINED';
  switch (kind) {
    case 'through':
      if (asksForCeiling) return { verdict: 'UNCONTAINED', line: detail };
      return { verdict: expected === 'SUCCESS' ? 'SUCCESS' : 'ALLOWED', line: detail };
    case 'held':
      return { verdict: 'CONTAINED', line: detail };
    case 'errno': {
      const mechanism = Object.hasOwn(by, errno) ? by[errno] : undefined;
      if (mechanism === undefined) {
        return { verdict: 'INCONCLUSIVE', line: `${errno} (${detail}) speaks for no mechanism of this case` };
      }
      return { verdict: 'REFUSED', line: `${errno}: ${mechanism} (${detail})` };
    }
    case 'none':
      return { verdict: 'INCONCLUSIVE', line: detail };
  }
}

export interface Outcome {
  readonly kind: 'boundary' | 'ceiling' | 'work';
  readonly matches: boolean | null;
}

export const exitCodes = { passed: 0, harness: 1, refused: 2, boundary: 3, ceiling: 4 } as const;

/** 3 when a boundary or real work failed, 4 when only ceilings did. */
export function exitCodeOf(outcomes: readonly Outcome[]): number {
  const failed = outcomes.filter(({ matches }) => matches === false);
  if (failed.some(({ kind }) => kind !== 'ceiling')) return exitCodes.boundary;
  return failed.length > 0 ? exitCodes.ceiling : exitCodes.passed;
}

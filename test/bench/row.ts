/**
 * One line of `npm run bench`. A module of this folder that exports `run(): Promise<Row[]>` is a benchmark.
 *
 * Numbers mean something only beside each other, measured in one run: every benchmark brings its own baseline.
 */
export interface Row {
  /** What was measured, e.g. `spawn, 10 000 children`. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The baseline this row is to be read against, as a multiple: 2 means twice the baseline's value. */
  readonly ratio?: number;
  readonly note?: string;
}

/** A row that answers a claim of the project: its note begins with whether this run bears it out. */
export function verdict(
  claim: string,
  { value, unit, holds, note }: { value: number; unit: string; holds: boolean | 'unclear'; note: string },
): Row {
  const word = holds === 'unclear' ? 'too noisy a machine to say' : holds ? 'holds' : 'DOES NOT HOLD';
  return { name: claim, value, unit, note: `${word}: ${note}` };
}

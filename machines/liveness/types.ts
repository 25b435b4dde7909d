/** Data of the liveness chart. Plain JSON: no token of a door is ever in it. */

/** What layers 1 and 2 say of a process (spec/liveness.md 5.3). */
export type ProcessVerdict = 'Alive' | 'Unverified' | 'Gone';

/** What layer 3 says of a session whose process is alive (spec/liveness.md 5.4). */
export type DoorVerdict = 'Live' | 'Unreachable';

/** What one layer said. For people: charts decide on verdicts. */
export interface Evidence {
  readonly layer: 1 | 2 | 3;
  readonly says: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** One reading, with what was read and when (Unix milliseconds). The clock is the effect's: a chart reads none. */
export interface Reading {
  readonly verdict: ProcessVerdict;
  /** Why it is not `Alive`. */
  readonly reason: string | null;
  readonly evidence: readonly Evidence[];
  readonly at: number;
}

export interface DoorReading {
  /** `Gone`: the process ended while its door was asked. What layers 1 and 2 say of it is read next. */
  readonly door: DoorVerdict | 'Gone';
  /** Why it is not `Live`. */
  readonly reason: string | null;
  readonly evidence: readonly Evidence[];
  readonly at: number;
}

export interface LivenessInput {
  readonly sessionId: string;
  /** How long a verdict is believed before it is read again. */
  readonly recheckMs: number;
}

export interface LivenessContext extends LivenessInput {
  /** `null` before the first reading. */
  readonly verdict: ProcessVerdict | null;
  /** `null` while the process is not `Alive`, and before the door was asked. */
  readonly door: DoorVerdict | null;
  /** Why the latest verdict is not the good one. */
  readonly reason: string | null;
  /** When the verdict last changed. */
  readonly since: number | null;
}

export interface LivenessOutput {
  readonly sessionId: string;
  /** Why it counts as gone: what the pruned line says. */
  readonly reason: string;
}

/** The process may have ended; what is true is read next. */
export type LivenessEvent = { readonly type: 'exit.noticed' };

interface Told {
  readonly sessionId: string;
  readonly reason: string | null;
  readonly evidence: readonly Evidence[];
  readonly at: number;
}

/** One per change of verdict. */
export type LivenessEmitted = { readonly [V in ProcessVerdict | DoorVerdict]: { readonly type: V } & Told }[
  | ProcessVerdict
  | DoorVerdict];

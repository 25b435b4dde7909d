/** Data of the registry chart. Plain JSON: records, with their tokens, stay with the effects. */
import type { Fault, Outcome } from '../effect.js';

/** What a running record says, without anything secret. */
export interface RecordFacts {
  readonly sessionId: string;
  readonly capsule: string;
  readonly version: string;
  readonly url: string;
  readonly detached: boolean;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly workdir: string;
  readonly formationId?: string;
  readonly pid: number;
  readonly processStart: string;
}

/** A record that was verified and whose process is not gone. */
export interface SessionRow extends RecordFacts {
  readonly status: 'running' | 'unreachable';
  /** Why it is unreachable. */
  readonly reason: string | null;
}

export type Listed = Outcome<{ readonly records: readonly RecordFacts[]; readonly at: number }>;

/** What became of one session that a reading called `Gone`. */
export interface Pruned {
  readonly sessionId: string;
  /** `pruned`: this process removed the record. `ended`: it was removed already. `kept`: a new reading says otherwise. */
  readonly result: 'pruned' | 'ended' | 'kept';
  readonly reason: string;
  readonly at: number;
}

/** One change of verdict of one watched session. */
export interface Change {
  readonly sessionId: string;
  readonly verdict: 'Live' | 'Unreachable' | 'Gone';
  readonly reason: string | null;
  readonly at: number;
}

export interface RegistryInput {
  /** Longest time between two looks at the folder; changes of the folder cause one at once. */
  readonly relistMs: number;
}

export interface RegistryContext extends RegistryInput {
  /** Every record of the last listing, newest first, verified or not. */
  readonly known: readonly RecordFacts[];
  readonly rows: readonly SessionRow[];
  /** `Gone` and not yet pruned. */
  readonly doomed: readonly { readonly sessionId: string; readonly reason: string }[];
  /** Unix milliseconds of the last listing; `null` before the first. */
  readonly listedAt: number | null;
  readonly fault: Fault | null;
}

export interface RegistryOutput {
  /** Why the registry closed; `null` when it was asked to. */
  readonly fault: Fault | null;
}

export type RegistryEvent =
  /** Something happened in the folder of records. */
  | { readonly type: 'records.changed' }
  /** Verdicts that changed within one turn of the event loop, in order. */
  | { readonly type: 'liveness.changed'; readonly changes: readonly Change[] }
  | { readonly type: 'watching.failed'; readonly fault: Fault }
  | { readonly type: 'stop.requested' };

export type RegistryEmitted =
  | { readonly type: 'row.added'; readonly row: SessionRow; readonly at: number }
  | { readonly type: 'row.changed'; readonly row: SessionRow; readonly at: number }
  | {
      readonly type: 'row.removed';
      readonly sessionId: string;
      readonly row: SessionRow | null;
      readonly result: 'pruned' | 'ended';
      readonly reason: string;
      readonly at: number;
    };

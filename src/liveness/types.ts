/** The public types of src/liveness. */
import type { Secret } from '../errors/index.js';

/** Which process: its pid, and its start token on this machine. The pair is never used for another one. */
export interface ProcessIdentity {
  readonly pid: number;
  /** `""` when the writer could not read it: matches nothing. */
  readonly process_start: string;
}

/**
 * Where one session's door is and which process holds it. A hint, never a truth: a killed session leaves its record behind. The
 * nine keys are always there, in this order (spec/liveness.md 1.2); the others only when they apply (1.3).
 */
export interface RunningRecord extends ProcessIdentity {
  readonly session_id: string;
  /** `host:port`, no scheme. */
  readonly url: string;
  readonly pid: number;
  readonly process_start: string;
  readonly capsule_name: string;
  readonly capsule_version: string;
  /** The records directory: where a reader finds the trace. */
  readonly workdir: string;
  readonly outlives_launcher: boolean;
  /** RFC 3339, UTC. */
  readonly started_at: string;
  /** Operator token of an authenticated door. */
  readonly door_token?: Secret;
  /** Tokens of the declared door credentials, by name. Never empty. */
  readonly credentials?: Readonly<Record<string, Secret>>;
  readonly formation_id?: string;
  readonly formation_lifeline?: true;
  readonly formation_launcher?: ProcessIdentity;
  /** Session id of the spawner of a delegated child. */
  readonly spawned_by?: string;
}

/** A record as a directory listing found it. */
export interface ListedRecord extends RunningRecord {
  /** Name of its file, which is `<session_id>.json` unless somebody renamed it. */
  readonly file: string;
}

export interface RecordGuard {
  /** The published file. */
  readonly path: string;
  /** Removes the record and the token files beside it. Idempotent; never throws. Also runs when the process exits. */
  retire(): void;
}

/** Failing to publish never fails a launch: the caller warns `W-SEC-023` with `reason` and goes on. */
export type PublishOutcome =
  | { readonly status: 'published'; readonly guard: RecordGuard }
  | { readonly status: 'failed'; readonly reason: string };

/** What one layer said, and when. Text for people; decisions are made on verdicts. */
export interface Evidence {
  /** 1: the pid is held. 2: by the process of the record. 3: its door answers for the session. */
  readonly layer: 1 | 2 | 3;
  readonly says: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** What layers 1 and 2 say. Only `Gone` licenses removing a record; `Unverified` is a reading that failed, which says nothing. */
export type ProcessState =
  | { readonly verdict: 'Alive' }
  | { readonly verdict: 'Unverified'; readonly reason: string }
  | { readonly verdict: 'Gone'; readonly reason: string };

/** What all three layers say. The record of an `Unreachable` session is kept: it is the only handle to a process that runs. */
export type Liveness =
  | { readonly verdict: 'Live'; readonly evidence: readonly Evidence[] }
  | { readonly verdict: 'Unreachable'; readonly reason: string; readonly evidence: readonly Evidence[] }
  | { readonly verdict: 'Gone'; readonly reason: string; readonly evidence: readonly Evidence[] };

export type StopSignal = 'SIGTERM' | 'SIGKILL';

/**
 * What one signal came to. `via` says what delivered it: `pidfd` cannot reach another process, `kill` follows a reading at once
 * and leaves the window between the two (spec/liveness.md 6 and 7).
 */
export type SignalOutcome =
  | { readonly outcome: 'Sent'; readonly via: 'pidfd' | 'kill' }
  | { readonly outcome: 'AlreadyGone' }
  | { readonly outcome: 'Refused'; readonly reason: string };

/** What is in the directory of running records. */
export interface Scan {
  /** Newest session first. */
  readonly records: readonly ListedRecord[];
  /** Files that hold no record, or could not be read. */
  readonly unreadable: readonly string[];
}

export interface Listing {
  /** Newest session first. */
  readonly records: readonly ListedRecord[];
  /** Files that held no record and were removed. */
  readonly pruned: readonly string[];
  /** Files this process could not read, which is no evidence about what they hold: kept. */
  readonly unreadable: readonly string[];
}

/** The records of a machine after layers 1 and 2, with the `Gone` ones removed. */
export interface Sweep {
  /** `Alive` or `Unverified`, newest session first: what `@N` counts. */
  readonly running: readonly { readonly record: ListedRecord; readonly state: ProcessState }[];
  readonly gone: readonly GoneRecord[];
  readonly unreadable: readonly string[];
}

export interface GoneRecord {
  readonly record: ListedRecord;
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  /** Removed by this sweep. Of several readers at once, exactly one says so. */
  readonly pruned: boolean;
}

/** How the end of a process was noticed. */
export interface ExitNotice {
  readonly via: 'pidfd' | 'poll';
}

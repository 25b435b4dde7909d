/** The public types of src/liveness. */

/** Where one session's door is and which process holds it. Exactly these keys, in this order (spec/liveness.md 1.2). */
export interface RunningRecord {
  readonly session_id: string;
  /** `host:port`, no scheme. */
  readonly url: string;
  readonly pid: number;
  /** Start token of that process; `""` when it could not be read. */
  readonly process_start: string;
  readonly capsule_name: string;
  readonly capsule_version: string;
  /** The records directory: where a reader finds the trace. */
  readonly workdir: string;
  readonly outlives_launcher: boolean;
  /** RFC 3339, UTC. */
  readonly started_at: string;
}

export interface RecordGuard {
  /** The published file. */
  readonly path: string;
  /** Removes the record. Idempotent; never throws. Also runs when the process exits. */
  retire(): void;
}

/** Failing to publish never fails a launch: the caller warns `W-SEC-023` with `reason` and goes on. */
export type PublishOutcome =
  | { readonly status: 'published'; readonly guard: RecordGuard }
  | { readonly status: 'failed'; readonly reason: string };

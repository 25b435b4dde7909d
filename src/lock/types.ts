/** Who pinned an artifact: the operator with `mur install` or `mur run`, or a session that pulled it while it ran. */
export type LockOrigin = 'operator' | 'runtime';

/** What the archive must hash to: one for every host, or one per platform (`linux-x86_64`). Never both. */
export type LockHash = { readonly any: string } | { readonly platforms: Readonly<Record<string, string>> };

/** One pin of `murmur.lock` (spec/artifacts.md section 7). */
export interface LockEntry {
  readonly name: string;
  readonly resolvedVersion: string;
  readonly sha256: LockHash;
  readonly origin: LockOrigin;
  /** The session that pulled it. Present exactly for a runtime origin. */
  readonly session?: string;
}

/** A whole `murmur.lock`. No two entries have one name. */
export interface Lock {
  readonly artifacts: readonly LockEntry[];
}

/** What was resolved and is to be pinned. */
export interface PinRequest {
  readonly name: string;
  readonly version: string;
  /** Of the whole archive. */
  readonly sha256: string;
  /** The platform the archive is filed under. Absent: one archive for every host. */
  readonly platform?: string;
  readonly origin: LockOrigin;
  /** Given exactly for a runtime origin. */
  readonly session?: string;
}

/** What the lock pins one artifact at, already narrowed to one platform (seed `LockExpectation`). */
export interface LockExpectation {
  readonly name: string;
  readonly resolvedVersion: string;
  readonly sha256: string;
  readonly origin: LockOrigin;
  readonly session?: string;
}

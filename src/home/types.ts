/** The public types of src/home. Implementations: held.ts, append-file.ts, session-folders.ts. */

/** Mode of a file the runtime writes for a capsule to read, unless the caller says otherwise. */
export const DEFAULT_FILE_MODE = 0o644;

/** Where everything under `~/.murmur` is. Absolute paths; naming one creates nothing. */
export interface MurmurHome {
  /** `~/.murmur` */
  readonly root: string;
  readonly sessions: string;
  readonly records: string;
  readonly running: string;
  /** Compiled forms of components; safe to delete. */
  readonly compiled: string;
}

/** What a directory is on its file system. Two paths are one directory iff both numbers agree. */
export interface DirectoryIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

export type EntryKind = 'file' | 'directory' | 'link' | 'other';

export interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
}

export interface EntryStat {
  readonly kind: EntryKind;
  readonly sizeBytes: number;
  /** Permission bits only. */
  readonly mode: number;
  readonly modifiedAtMs: number;
}

/** Remembers that a path tried to lead the runtime through a link or out of its folder. Shared by a session's three trees. */
export interface RefusalLatch {
  /** The first refusal, as `<path>: <reason>`; `undefined` while there was none. */
  readonly refused: string | undefined;
  /** Called once, with the first refusal. */
  onRefusal?: (refusal: string) => void;
  set(refusal: string): void;
}

/** An open file that only grows. */
export interface AppendFile {
  /** For messages only. */
  readonly path: string;
  /** Appends exactly these bytes, in one write unless the system takes fewer. Throws `E-IO-002` or `E-IO-003`. */
  write(bytes: Uint8Array | string): void;
  /**
   * Appends `line` and a line feed in one write. `line` must hold no line feed. When the file ends in a torn line, left by a
   * crash or by a write that failed half way, the write starts with a line feed, so the torn line never swallows this one.
   */
  writeLine(line: string): void;
  /** Resolves when everything written so far is on the disk. */
  flush(): Promise<void>;
  /** Idempotent. Does not flush. */
  close(): void;
}

/**
 * A directory held open. Every path is relative to it and is walked one component at a time, following no link, so nothing
 * that runs beside us can redirect an operation by swapping a component. A path that is absolute, names `..`, holds NUL or
 * leads through a link is refused: `E-RUN-906`, and the latch is set. What this does not stop: walk.ts.
 */
export interface HeldDirectory {
  /** The path it was opened at: for messages and environment variables, not for opening things. */
  readonly path: string;
  /** Stays open until `close`; a WASM preopen may share it. */
  readonly fd: number;
  readonly latch: RefusalLatch;
  readonly identity: DirectoryIdentity;

  /** The file's bytes; `undefined` when nothing has that name. Only regular files; more than `limitBytes` is `E-IO-003`. */
  readFile(rel: string, options: { readonly limitBytes: number }): Buffer | undefined;
  /**
   * Replaces the file in one step: readers see the old bytes or the new, never a part. Missing parents are made
   * (`mkdirs`, default true) with `directoryMode` (default 0755). An existing link of that name is refused, not followed.
   */
  writeFile(
    rel: string,
    bytes: Uint8Array | string,
    options?: { readonly mode?: number; readonly mkdirs?: boolean; readonly directoryMode?: number },
  ): void;
  /** The file opened for appending, created with `mode` when missing. Its parent must exist. */
  openAppend(rel: string, mode: number): AppendFile;
  /** Makes the directory and its missing parents with `mode`. An existing directory is left as it is. */
  mkdir(rel: string, mode: number): void;
  /** Removes a file, a link, or a whole folder without following links. False when nothing had that name. */
  remove(rel: string): boolean;
  /** Gives the entry `from` of this directory the name `to`, which must be free. Both are single names. */
  rename(from: string, to: string): void;
  /** Entries sorted by name; `E-IO-001` when the directory is missing. `.` is this directory. */
  list(rel: string): Entry[];
  /** Facts about the entry itself, never about what a link points to; `undefined` when nothing has that name. */
  stat(rel: string): EntryStat | undefined;
  /** A descriptor of the directory. The caller closes it. */
  openDirectory(rel: string): number;
  /**
   * The directory, held on its own and sharing this latch. With `mode`, missing components are made and components that
   * grant more than `mode` are narrowed to it. The caller closes it.
   */
  hold(rel: string, options?: { readonly mode?: number }): HeldDirectory;
  /** Idempotent. */
  close(): void;
}

export interface SessionFolderRequest {
  readonly sessionId: string;
  /** Folder of the manifest; must exist. */
  readonly manifestDir: string;
  /** The operator's work folder; relative to the process's directory. Absent: `<manifestDir>/workdir/<sessionId>` is made. */
  readonly workdir?: string | undefined;
  readonly home: MurmurHome;
  /** What the work folder must be, checked before anything is written beneath it. */
  readonly expectedWorkdirIdentity?: DirectoryIdentity | undefined;
}

/** The three trees of one session, held open (spec/session.md section 3). */
export interface SessionFolders {
  readonly sessionId: string;
  readonly latch: RefusalLatch;
  /** The work folder: `.` of every command and tool. */
  readonly accessibleWorkdir: string;
  readonly accessibleRoot: HeldDirectory;
  /** `<manifestDir>/workdir` when the runtime made the work folder: the only place retention removes work folders from. */
  readonly createdWorkdirs: string | undefined;
  /** The directory records are grouped by. */
  readonly workdirRoot: string;
  /** `$MURMUR_RUNTIME_DIR`. */
  readonly runtimeDir: string;
  readonly runtimeRoot: HeldDirectory;
  readonly tools: HeldDirectory;
  readonly plans: HeldDirectory;
  readonly delegations: HeldDirectory;
  /** `$MURMUR_RECORDS_DIR`; kept after the session. */
  readonly recordsDir: string;
  readonly recordsRoot: HeldDirectory;
  /** Removes `sessions/<id>` and everything below. Idempotent. The records and the work folder stay. */
  removeRuntime(): void;
  /** Releases every descriptor, after removing the runtime directory. Idempotent. */
  close(): void;
}

export interface RetainLimits {
  /** Sessions kept per group, the running one counted. */
  readonly maxSessions?: number | undefined;
  readonly maxAgeMs?: number | undefined;
}

export interface RetentionRequest {
  readonly home: MurmurHome;
  /** Of the running session. */
  readonly folders: Pick<SessionFolders, 'sessionId' | 'workdirRoot' | 'createdWorkdirs'>;
  readonly limits: RetainLimits;
  readonly nowMs: number;
}

/** The fields of one `retention` trace line. */
export interface RetentionOutcome {
  readonly store: 'sessions';
  readonly reason: string;
  readonly removed: number;
  /** Session ids, newest first. */
  readonly targets: readonly string[];
}

export interface RetentionReport {
  /** One for each kind of store that lost something. */
  readonly outcomes: readonly RetentionOutcome[];
  /** One message for each session that could not be removed. Nothing in the launch depends on them. */
  readonly failures: readonly string[];
}

import type { Readable } from 'node:stream';

/** One program to start: resolved, with its whole environment. */
export interface StartRequest {
  /** What is executed. */
  readonly path: string;
  /** What the program is told that it is called. */
  readonly argv0: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absent: it reads nothing. */
  readonly stdin?: Uint8Array;
}

export interface ProcessEnd {
  /** The process's own, else 128 + the number of the signal. */
  readonly exitCode: number;
  readonly signal?: NodeJS.Signals;
}

/** A process tree that was started. */
export interface StartedProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Rejects when waiting for the process failed. */
  readonly ended: Promise<ProcessEnd>;
  /** SIGTERM to the command; after `graceMs` the whole tree is killed. Resolves when nothing is left. */
  terminate(graceMs: number): Promise<void>;
  /** Kills the whole tree. Resolves when nothing is left. */
  kill(): Promise<void>;
}

/** What this folder needs of a box (src/containment): it starts programs under the session's kernel rules. */
export interface Starter {
  start(request: StartRequest): Promise<StartedProcess>;
}

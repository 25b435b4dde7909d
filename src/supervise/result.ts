/**
 * What a launch came to: collected while it runs, and put into words, a status and an exit code when it is over.
 */
import { constants } from 'node:os';
import type { Fault } from '../../machines/effect.js';
import type { MurmurOutput } from '../../machines/murmur/machine.js';
import type { SessionOutput, SessionStatus } from '../../machines/session/machine.js';
import type { SessionWorld } from '../effects/index.js';
import { type ErrorCode, errorTable, MurError, toMurError } from '../errors/index.js';
import type { NoticeListener, SessionNotice } from './notice.js';

export interface LaunchResult {
  /** `undefined` when staging refused before the id was minted. */
  readonly sessionId: string | undefined;
  /** The work folder. */
  readonly workdir: string | undefined;
  readonly recordsDir: string | undefined;
  readonly status: SessionStatus;
  /** The answer of the last task that completed. */
  readonly answer: string | undefined;
  /** Why the status is not `ok`. */
  readonly error: MurError | undefined;
  /** For a process that ran this launch alone (spec/cli.md 11.3). */
  readonly exitCode: number;
  /** It was given up: exit at once, something may still be running. What was written is on the disk all the same. */
  readonly forced: boolean;
}

/** Collects what the result needs from notices and from the session's exit. */
export class LaunchWatch {
  readonly #listener: NoticeListener | undefined;
  answer: string | undefined;
  output: SessionOutput | undefined;
  bug: unknown;

  constructor(listener: NoticeListener | undefined) {
    this.#listener = listener;
  }

  readonly notify = (notice: SessionNotice): void => {
    if (notice.type === 'task.ended' && notice.answer !== undefined) this.answer = notice.answer;
    try {
      this.#listener?.(notice);
    } catch {
      // A listener that throws must not change what the session does; its author sees nothing drawn.
    }
  };

  exited(exit: { readonly output?: SessionOutput | undefined } | { readonly fault: unknown }): void {
    if ('fault' in exit) this.bug = exit.fault;
    else this.output = exit.output;
  }
}

/** The result of a launch that is over. Tells the listener that the session ended. */
export function resultOf(world: SessionWorld, watch: LaunchWatch, root: MurmurOutput): LaunchResult {
  const { draft } = world;
  const ended = watch.output?.status ?? (root.forced ? 'canceled' : 'failed');
  // A break above the session is no peaceful end, whatever the session made of it.
  const status = root.fault !== null && peaceful.has(ended) ? 'failed' : ended;
  const error = watch.bug !== undefined ? toMurError(watch.bug) : errorOf(status, watch.output?.fault ?? root.fault);
  draft.notify({ type: 'session.ended', sessionId: draft.sessionId ?? '', status });
  return {
    sessionId: draft.sessionId,
    workdir: draft.folders?.accessibleWorkdir,
    recordsDir: draft.folders?.recordsDir,
    status,
    answer: watch.answer,
    error,
    exitCode: root.forced ? 128 + constants.signals[root.signal ?? 'SIGTERM'] : exitCodeOf(status, error),
    forced: root.forced,
  };
}

/** Statuses that end a launch without an error (spec/session.md 2.5). */
const peaceful: ReadonlySet<SessionStatus> = new Set(['ok', 'deadline_reached', 'formation_ended']);

function errorOf(status: SessionStatus, fault: Fault | null): MurError | undefined {
  if (peaceful.has(status)) return undefined;
  const code = (fault !== null && fault.code in errorTable ? fault.code : 'E-RUN-040') as ErrorCode;
  const reason = fault?.message ?? (status === 'canceled' ? 'it was asked to stop' : 'no reason was given');
  const message = code === 'E-RUN-040' ? `the task ended ${status}: ${reason}` : reason;
  return new MurError(code, message, fault?.hint === undefined ? {} : { hint: fault.hint });
}

function exitCodeOf(status: SessionStatus, error: MurError | undefined): number {
  return peaceful.has(status) ? 0 : (error?.exit ?? 1);
}

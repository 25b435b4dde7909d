/** Data of the command chart. Plain JSON: the process, its streams and its output stay with the effects. */
import type { Fault } from '../effect.js';

/** Which command an effect is for. */
export interface CommandName {
  /** Tells it from the other commands of its session. */
  readonly commandId: string;
}

export interface CommandInput extends CommandName {
  /** As resolved; else as invoked. */
  readonly binary: string;
  /** The task that asked for it; `null` outside any. */
  readonly taskId: string | null;
  /** How long it may keep its caller waiting; `null`: as long as it takes. */
  readonly graceMs: number | null;
}

/** How a process ended. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly durationMs: number;
  /** The field of `capabilities.resources` that its end is blamed on. */
  readonly resourceLimit: string | null;
  /** Set when waiting for it failed. */
  readonly waitError: string | null;
}

/** Which command, and how its process ended by itself; `null`: it was ended. */
export interface CommandEnded extends CommandName {
  readonly end: CommandEnd | null;
}

export interface CommandContext extends CommandInput {
  readonly pid: number | null;
  /** Set once the command is in the background. */
  readonly workId: string | null;
  /** How it ended by itself; `null` until it does, and for one that was ended. */
  readonly end: CommandEnd | null;
  /** Somebody wants it ended, and it could not be done at once. */
  readonly asked: 'nothing' | 'cancel' | 'sweep';
  readonly ending: CommandEnding | null;
  readonly fault: Fault | null;
}

export type CommandEnding = 'refused' | 'finished' | 'canceled' | 'completed' | 'abandoned' | 'failed';

export interface CommandOutput {
  readonly ending: CommandEnding;
  readonly workId: string | null;
  readonly end: CommandEnd | null;
  readonly fault: Fault | null;
}

export type CommandEvent =
  /** The task that asked for the command is over. A command in the background does not mind. */
  | { readonly type: 'cancel.requested' }
  /** The session is over, and nothing of it may stay. */
  | { readonly type: 'session.ended' };

/** What became of the start. */
export type Started = { readonly ok: true; readonly pid: number } | { readonly ok: false; readonly fault: Fault };

/** The id a command goes on under, known to the session before anybody else is told. */
export interface Detached {
  readonly workId: string;
}

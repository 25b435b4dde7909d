/** Data of the session chart. Plain JSON: it goes to the event log and the inspector. */
import type { CommandInput } from '../command/types.js';
import type { Fault } from '../effect.js';
import type { TaskInput } from '../task/machine.js';
import type { TaskStatus } from '../turn/machine.js';

/** How a session ended (spec/session.md 2.5, 5.5; `trapped` for a script capsule, spec/cli.md 11.3). */
export type SessionStatus = TaskStatus | 'trapped' | 'deadline_reached' | 'formation_ended';

/** Why a running session stops before its work is done. */
export type StopCause = 'session_stopped' | 'deadline_reached';

export interface TaskRef {
  readonly taskId: string;
  readonly contextId: string;
  readonly source: TaskInput['source'];
  readonly lane: Lane;
}

/** Tasks that wait are taken lane by lane, in this order, and in order of arrival within one (spec/session.md 5.2). */
export type Lane = 'user' | 'peer' | 'bg';

export interface SessionInput {
  readonly capsuleName: string;
  readonly capsuleVersion: string;
  readonly kind: 'agent' | 'script';
  /** The launch was given a task of its own. */
  readonly hasTask: boolean;
  readonly acceptance: 'none' | 'single' | 'queue';
  readonly afterTask: 'exit' | 'sleep';
  readonly maxTurns: number;
  /** How long an idle session waits for a message (spec/session.md 5.2). */
  readonly idleTimeoutMs: number;
  /** Longest the whole of `draining` may take. */
  readonly drainLimitMs: number;
}

export interface SessionContext extends SessionInput {
  readonly sessionId: string | null;
  readonly url: string | null;
  /** Accepted, not started; the next one first. */
  readonly pending: readonly TaskRef[];
  readonly active: TaskRef | null;
  /** Somebody canceled the active task by name, before any stop of the session. */
  readonly cancelAsked: boolean;
  /** Tasks that ended, by where they came from. */
  readonly ended: { readonly launch: number; readonly queued: number };
  /** The launch's own task did not complete: nothing else is run. */
  readonly launchFailed: boolean;
  /** The first ending that was not `ok` decides; `null` until something decided. */
  readonly status: SessionStatus | null;
  readonly stopCause: StopCause | null;
  readonly fault: Fault | null;
}

export interface SessionOutput {
  readonly sessionId: string | null;
  readonly status: SessionStatus;
  readonly fault: Fault | null;
}

/** Facts that enter the session from outside its own effects. */
export type SessionEvent =
  | { readonly type: 'task.accepted'; readonly task: TaskRef }
  | { readonly type: 'task.cancel.requested'; readonly taskId: string }
  | { readonly type: 'stop.requested'; readonly cause: StopCause }
  | { readonly type: 'input.requested'; readonly taskId: string; readonly prompt: string }
  | { readonly type: 'input.received'; readonly taskId: string }
  /** A host program is to be run. Its actor is there once the event is handled, or the session takes none any more. */
  | { readonly type: 'command.requested'; readonly command: CommandInput };

/** What xstate tells of a command that is over. */
export type CommandOver = {
  readonly type: `xstate.${'done' | 'error'}.actor.${string}`;
  readonly actorId: string;
};

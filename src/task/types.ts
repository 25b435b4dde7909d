/** The words of the task model (spec/door.md section 8). Plain data: safe to keep, send and compare. */

const liveStates = ['submitted', 'working', 'input-required'] as const;
const finalStates = ['completed', 'failed', 'canceled', 'rejected'] as const;
/** Every state of a task. */
export const taskStates = [...liveStates, ...finalStates] as const;

export type LiveTaskState = (typeof liveStates)[number];
export type FinalTaskState = (typeof finalStates)[number];
export type TaskState = LiveTaskState | FinalTaskState;

/** Whether and how a session takes tasks through its door (`lifecycle.task_acceptance`). */
export type TaskAcceptance = 'none' | 'single' | 'queue';

/** Who caused a task. Set by whoever enqueues it, never believed from a guest. */
export type TaskOrigin = 'user' | 'peer' | 'schedule' | 'event' | 'completion' | 'system';
export type TaskTrust = 'trusted' | 'untrusted';

/** Waiting tasks run lane by lane, in this order of precedence: user, peer, bg. */
export type Lane = 'user' | 'peer' | 'bg';

/** A request to run one task, complete: ids minted, text joined, origin and trust derived. */
export interface TaskRequest {
  readonly taskId: string;
  readonly contextId: string;
  /** What the model is given. May be blank; whoever runs the task refuses that. */
  readonly text: string;
  readonly origin: TaskOrigin;
  readonly trust: TaskTrust;
  /** Which way it came in, as the trace writes it. */
  readonly source: 'a2a' | 'task_md' | 'detached_shell' | 'detached_lost';
  /** Unix milliseconds, stamped where the task came in. */
  readonly receivedAtMs: number;
  /** The sender's own id of the message. */
  readonly messageId?: string;
  /** W3C trace context of the sender, verbatim. */
  readonly traceparent?: string;
}

/** One task at one moment. A copy: later changes of the task never show in it (cases/reports row 37). */
export interface TaskSnapshot {
  readonly taskId: string;
  readonly contextId: string;
  readonly state: TaskState;
  readonly origin: TaskOrigin;
  readonly trust: TaskTrust;
  /** Unix milliseconds of the last change of `state`. */
  readonly updatedAtMs: number;
  /** What the final status said, for an ended task. */
  readonly message?: string;
  /** The answer, for a completed task. */
  readonly response?: string;
  /** The question, while `state` is `input-required`. */
  readonly prompt?: string;
}

/** A message for a task that is under way: the model is given it with its next turn. */
export interface FollowUp {
  readonly text: string;
  readonly origin: TaskOrigin;
  readonly trust: TaskTrust;
  readonly messageId?: string;
}

/** What one side said about a task: the message that began it, those that followed, the questions it asked, the replies it got. */
export interface TaskMessage {
  readonly role: 'user' | 'agent';
  readonly messageId: string;
  readonly text: string;
}

const ends: ReadonlySet<TaskState> = new Set(finalStates);

/** True when a task in `state` never changes again. */
export function isFinal(state: TaskState): state is FinalTaskState {
  return ends.has(state);
}

/** The lane a task of `origin` waits in (spec/door.md 8.4). */
export function laneOf(origin: TaskOrigin): Lane {
  if (origin === 'user' || origin === 'peer') return origin;
  return 'bg';
}

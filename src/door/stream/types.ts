import type { TaskSnapshot } from '../../task/index.js';

/**
 * One thing a session tells about a task, in the words of the model; each is one frame of the Murmur dialect (spec/door.md 15.2).
 * `task` is the task at that moment, so that a replay shows what was true then.
 */
export type StreamEvent =
  | StatusEvent
  | ArtifactEvent
  | {
      readonly type: 'text' | 'thinking';
      readonly taskId: string;
      readonly text: string;
      /** Ends the chunks of a turn. Never true for `thinking`. */
      readonly final: boolean;
    }
  | { readonly type: 'tool-call-started'; readonly taskId: string; readonly callId: string; readonly toolName: string }
  | {
      readonly type: 'tool-call-progress';
      readonly taskId: string;
      readonly callId: string;
      readonly inputBytes: number;
    };

export interface StatusEvent {
  readonly type: 'status';
  readonly taskId: string;
  readonly task: TaskSnapshot;
  readonly message: string;
  /** Set on the status that begins an inference turn, counted from 1. */
  readonly turn?: number;
  /** The last thing said of this task; exactly one status event of a task has it. */
  readonly final: boolean;
}

/** What came of one tool call. */
export interface ArtifactEvent {
  readonly type: 'artifact';
  readonly taskId: string;
  readonly toolName: string;
  /** Exactly what the model received. */
  readonly content: string;
  readonly fenceSource: string | null;
  readonly callId: string | null;
  readonly isError: boolean | null;
  readonly durationMs: number | null;
  /** Of the subprocess, where there was one. */
  readonly exitCode: number | null;
  readonly truncated: boolean | null;
}

/** An event in the session's log. One object per event: readers may hold it and key by it. */
export interface LoggedEvent {
  /** Counted from 1 over the whole session. */
  readonly id: number;
  readonly event: StreamEvent;
}

/** What a client that has seen everything up to some id is still to be given. */
export interface Replay {
  /** Set when events were lost: the oldest one that is still held. */
  readonly firstAvailableId?: number;
  readonly events: readonly LoggedEvent[];
}

/**
 * What the effects of one session share: everything that is live (descriptors, workers, secrets, messages) and so may not be in
 * a chart's context. Not a second state machine: what happens next is always the charts' decision.
 * Read next: index.ts (which effect serves which actor), work.ts (one task).
 */
import type { AnyActorRef } from 'xstate';
import type { SessionEvent } from '../../machines/session/machine.js';
import type { DoorSide } from '../door/side.js';
import type { Continuation } from '../inference/index.js';
import type { SizeBreach } from '../resources/index.js';
import type { StageDraft } from '../stage/draft.js';
import type { SessionNotice } from '../supervise/notice.js';
import type { TaskRegistry } from '../task/index.js';
import type { BlobStore, TraceWriter } from '../trace/index.js';
import type { Commands } from './command.js';
import type { DeadlineNotice } from './deadline.js';
import type { SessionLog } from './log.js';
import type { EventRecorder } from './recorder.js';
import type { SessionSecrets } from './secrets.js';
import type { StreamFeed } from './stream-feed.js';
import type { TokenCounter } from './token-counter.js';
import type { Totals } from './totals.js';
import type { TaskWork } from './work.js';

export interface SessionWorld {
  readonly draft: StageDraft;
  readonly registry: TaskRegistry;
  /** What whoever streams from the door is told. */
  readonly feed: StreamFeed;
  readonly log: SessionLog;
  readonly recorder: EventRecorder;
  /** What may stand in nothing this session writes for people to read. */
  readonly secrets: SessionSecrets;
  readonly totals: Totals;
  readonly tokens: TokenCounter;
  readonly work: Map<string, TaskWork>;
  readonly deadlineNotice: DeadlineNotice | undefined;
  /** Monotonic time the session began. */
  readonly startedAtMs: number;
  /** Opened when the folders exist; `undefined` before. */
  trace: TraceWriter | undefined;
  /** The bytes behind the trace's hashes; only under `trace.capture: content`. */
  blobs: BlobStore | undefined;
  /** `localhost:<port>` once the door listens. */
  url: string | undefined;
  continuation: Continuation | undefined;
  /** What runs host programs; only where the capsule may run any, from the opening of the session on. */
  commands: Commands | undefined;
  /** Says when the work folder has outgrown its limit; only where somebody looks. */
  breach: (() => SizeBreach | undefined) | undefined;
  /** Only when live inspection was asked for. */
  inspection: Inspection | undefined;
  /** Why tasks are refused; `undefined` as long as they are not. */
  refusing: 'session_ended' | 'session_stopped' | undefined;
  /** Sends an event to the session's root mailbox. */
  send(event: SessionEvent): void;
  /** The actor of that id right below the session's root. */
  childOf(id: string): AnyActorRef | undefined;
}

/** Somebody who may look at the session while it runs (src/inspect), and can change nothing of it. */
export interface Inspection {
  /** What it answers on the door's port. */
  readonly endpoint: DoorSide;
  /** The session's root actor, before it starts. */
  begin(root: AnyActorRef): void;
  notice(notice: SessionNotice): void;
  /** The door listens on `port`. Returns the address of the page. */
  open(port: number): string;
  close(): Promise<void>;
}

/** The trace of a session that has folders. Throws when staging has not made them. */
export function traceOf(world: SessionWorld): TraceWriter {
  if (world.trace === undefined) throw new Error('the trace of this session is not open');
  return world.trace;
}

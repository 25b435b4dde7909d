import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  FollowUp,
  PageCursor,
  TaskFilter,
  TaskMessage,
  TaskPage,
  TaskRequest,
  TaskSnapshot,
} from '../task/index.js';
import type { RpcError } from './json-rpc.js';

/** Something that still runs after a cancel (spec/door.md section 14), as plain JSON. */
export type ResidueItem = Readonly<Record<string, unknown>>;

/**
 * What the door asks of the session behind it. Every method answers at once, `settled` too, and none waits for a turn to
 * be able to answer, so the door answers while a turn runs. A method that throws is answered as JSON-RPC -32603.
 */
export interface TaskPort {
  /** The new task, `submitted` or `rejected`, even while another waits for input. Checks for a place and takes it in one step. */
  send(request: TaskRequest): TaskSnapshot;
  /** The id of the task that waits for a person's reply, if one does. */
  waiting(): string | undefined;
  /** The task, `working` again, after it was handed that reply; `undefined` when it does not wait for one. */
  reply(taskId: string, text: string, messageId?: string): TaskSnapshot | undefined;
  /** The task, unchanged, which will be given that message with its next turn; `undefined` when it takes no more. */
  followUp(taskId: string, message: FollowUp): TaskSnapshot | undefined;
  /** That task; without an id the active or last one. `undefined` when there is none. */
  get(taskId?: string): TaskSnapshot | undefined;
  /** What was said about that task, oldest first; empty for an unknown one. */
  history(taskId: string): readonly TaskMessage[];
  /** One page of this session's tasks, newest change first. */
  list(filter: TaskFilter, page: { readonly size: number; readonly after?: PageCursor }): TaskPage;
  /** Tells `told` the task once it ended or waits for a person. What it gives stops that, and changes nothing about the task. */
  settled(taskId: string, told: (task: TaskSnapshot) => void): () => void;
  /** The task after the cancel (an ended one unchanged) and what still runs; `undefined` for an unknown id. */
  cancel(taskId: string): { readonly task: TaskSnapshot; readonly residue: readonly ResidueItem[] } | undefined;
  /** Cancels every live task. Leave it out and the door does not offer `session/stop`. */
  stop?(): { readonly canceled: readonly string[]; readonly residue: readonly ResidueItem[] };
}

/** How the frames of one stream are written: Murmur's own, A2A 0.3's, A2A 1.0's (spec/door.md 15.2 and 15.5). */
export type FrameStyle = 'mur' | 'v03' | 'v1';

/** One request for a stream, read and checked by its dialect. */
export interface StreamCall {
  readonly frames: FrameStyle;
  /** The JSON-RPC id the standard frames repeat; an error in plain JSON goes under it too. */
  readonly id: unknown;
  /** Of a binding without an envelope: data lines hold the bare object, and this answers a refusal. */
  readonly bare?: { refuse(error: RpcError): void };
  readonly wish: StreamWish;
}

export type StreamWish =
  /** `stream/watch`: every frame of the session. */
  | { readonly kind: 'watch' }
  /**
   * A send. The stream subscribes first and calls `start` once, so no frame of the task is missed; a `rejected` task, or
   * an error, is the only frame then. The task may also be an older one that this message replied to.
   */
  | { readonly kind: 'start'; start(): TaskSnapshot | { readonly error: RpcError } }
  /** A live task to follow: the whole task first. */
  | { readonly kind: 'subscribe'; readonly task: TaskSnapshot }
  /** The request was refused: one frame when it accepts `text/event-stream`, else plain JSON. */
  | {
      readonly kind: 'refused';
      readonly error: RpcError;
      /** The task that was asked for, when it is over: who comes back to it is given what it missed of it instead. */
      readonly ended?: TaskSnapshot;
    };

/** Serves streams. Leave it out of the door and no streaming method is offered. */
export interface StreamPort {
  /** Takes the response over, to its end. */
  open(request: IncomingMessage, response: ServerResponse, call: StreamCall): void;
}

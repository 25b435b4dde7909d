import { createHash, type Hash } from 'node:crypto';
import { isFinal, type TaskSnapshot } from '../../task/index.js';
import { sha256Hex } from '../../text/index.js';
import type { Renderer } from './renderer.js';
import { comment, frame } from './sse.js';
import type { TurnSoFar } from './turns.js';
import type { LoggedEvent, StatusEvent } from './types.js';

/** Where A2A 0.3 and 1.0 differ in what one frame holds. */
export interface StandardShape {
  task(task: TaskSnapshot): unknown;
  /** `isLast`: the stream closes behind it. */
  status(task: TaskSnapshot, isLast: boolean): unknown;
  /** A piece of the artifact `response`. */
  response(task: { readonly taskId: string; readonly contextId: string }, piece: ResponsePiece): unknown;
}

export interface ResponsePiece {
  readonly text: string;
  /** False: this piece replaces whatever came before. */
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/**
 * A standard stream (spec/door.md 15.5): the events of one task. `begin` or `resume` gives its first frames.
 *
 * A turn that ends in tool calls may say something too, so the first piece of each turn replaces what was sent before. When the
 * task completes, what was sent is compared with the answer: if it is not all of it (the client joined late, or lost events), the
 * answer goes out whole. So the artifact `response` a client ends with is always the one of the task.
 *
 * A client too slow for its stream learns how many events it lost from a comment, which the standards have no frame for; it is given
 * no more of what this turn says, then the whole answer and the final status, which no overflow takes away.
 */
export class StandardRenderer implements Renderer {
  readonly #wrap: (result: unknown) => unknown;
  readonly #shape: StandardShape;
  #task: TaskSnapshot | undefined;
  /** The state the client knows. */
  #state: TaskSnapshot['state'] | undefined;
  /** Over what the client has of this turn; absent when that is not known. */
  #sent: Hash | undefined;
  /** The client lacks something of this turn: it is given no piece of it, only the whole answer. */
  #isBehind = true;
  /** The next piece is the first of this turn. */
  #isFresh = true;

  /** `wrap` gives what a data line holds: a JSON-RPC response, or the bare object. */
  constructor(wrap: (result: unknown) => unknown, shape: StandardShape) {
    this.#wrap = wrap;
    this.#shape = shape;
  }

  /**
   * For a client that has nothing: the whole task, with what the `turn` under way has said so far. From here on only what is about this
   * task. `id` is that of the last event this includes.
   */
  begin(task: TaskSnapshot, id: number, turn: TurnSoFar | undefined): string {
    this.#task = task;
    this.#state = task.state;
    // Nothing follows a task that is over, so there is nothing to resume from.
    if (isFinal(task.state)) return this.#frame(this.#shape.task(task));
    if (turn !== undefined) this.#beginTurn(turn.text);
    if (turn === undefined || turn.text === '') return this.#frame(this.#shape.task(task), id);
    const said = this.#shape.response(task, { text: turn.text, append: false, lastChunk: false });
    // The id goes with the second: who is cut off between the two has neither.
    return this.#frame(this.#shape.task(task)) + this.#frame(said, id);
  }

  /**
   * For a client that has everything up to event `id`: the whole task as it is now. What was missed follows. `turn` is what it knows of
   * the turn that is still under way; else the `past` tells, as far as it is held.
   */
  resume(task: TaskSnapshot, id: number, turn: TurnSoFar | undefined, past: readonly LoggedEvent[]): string {
    this.#task = task;
    if (turn === undefined) {
      // It lacks nothing, whether or not we still know what it has.
      this.#isBehind = false;
      this.#isFresh = false;
      for (const logged of past) if (this.wants(logged)) this.event(logged);
    } else {
      this.#beginTurn(turn.text);
      this.#state = turn.state;
    }
    return this.#frame(this.#shape.task(task), id);
  }

  wants({ event }: LoggedEvent): boolean {
    if (event.type === 'text') return this.#isOwn(event.taskId) && event.text !== '' && !event.final;
    return event.type === 'status' && this.#isOwn(event.taskId);
  }

  event({ id, event }: LoggedEvent): string {
    if (!this.#isOwn(event.taskId)) return '';
    if (event.type === 'status') return this.#status(event, id);
    return event.type === 'text' ? this.#chunk(event.text, id) : '';
  }

  lagged(missed: number): string {
    this.#sent = undefined;
    this.#isBehind = true;
    return comment(`lagged ${missed}`);
  }

  /** Never asked for: such a client begins anew. */
  gap(): string {
    return '';
  }

  isLast({ event }: LoggedEvent, isLive: boolean): boolean {
    if (event.type !== 'status' || !this.#isOwn(event.taskId)) return false;
    return event.final || (isLive && event.task.state === 'input-required');
  }

  ended(): string {
    return '';
  }

  #isOwn(taskId: string): boolean {
    // Before the task is known, everything is kept: it is one of these.
    return this.#task === undefined || this.#task.taskId === taskId;
  }

  #status({ task, turn, final }: StatusEvent, id: number): string {
    if (turn !== undefined) this.#beginTurn('');
    const closing = task.state === 'completed' ? this.#closing(task) : '';
    if (task.state === this.#state && !final) return closing;
    this.#state = task.state;
    return closing + this.#frame(this.#shape.status(task, final || task.state === 'input-required'), id);
  }

  /** From here on the client has that text of the turn. */
  #beginTurn(text: string): void {
    this.#sent = createHash('sha256').update(text);
    this.#isBehind = false;
    this.#isFresh = text === '';
  }

  #chunk(text: string, id: number): string {
    if (this.#isBehind) return '';
    this.#sent?.update(text);
    const piece = { text, append: !this.#isFresh, lastChunk: false };
    this.#isFresh = false;
    return this.#frame(this.#shape.response(this.#task!, piece), id);
  }

  /** Without an id: whoever resumes here gets it again, together with the status behind it. */
  #closing(task: TaskSnapshot): string {
    if (task.response === undefined) return '';
    const isWhole = !this.#isFresh && this.#sent?.digest('hex') === sha256Hex(task.response);
    const piece = isWhole
      ? { text: '', append: true, lastChunk: true }
      : { text: task.response, append: false, lastChunk: true };
    return this.#frame(this.#shape.response(task, piece));
  }

  #frame(result: unknown, id?: number): string {
    return frame({ id, data: this.#wrap(result) });
  }
}

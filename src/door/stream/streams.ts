import type { IncomingMessage, ServerResponse } from 'node:http';
import { isFinal, type TaskSnapshot } from '../../task/index.js';
import { type RpcError, replyBody } from '../json-rpc.js';
import type { StreamCall, StreamPort, StreamWish } from '../port.js';
import { respond } from '../respond.js';
import type { EventBus } from './bus.js';
import { StreamConnection, sseHeaders } from './connection.js';
import { acknowledgement, errorFrame, MurmurRenderer, rejectedFrame } from './render-murmur.js';
import { StandardRenderer } from './render-standard.js';
import { v1Shape } from './render-v1.js';
import { v03Shape } from './render-v03.js';
import type { Renderer } from './renderer.js';
import { frame, readLastEventId } from './sse.js';

export interface StreamsOptions {
  readonly bus: EventBus;
  /** `lifecycle.conversation`. */
  readonly conversation: 'stateless' | 'threaded';
  /** Told how many events a slow client lost. */
  readonly onLag?: (missed: number) => void;
  readonly liveLimit?: number;
  readonly heartbeatMs?: number;
}

/** The streams of one session over its event log (spec/door.md section 15): who asks in which dialect gets which frames. */
export class SessionStreams implements StreamPort {
  readonly #options: StreamsOptions;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  open(request: IncomingMessage, response: ServerResponse, call: StreamCall): void {
    if (call.frames === 'mur') this.#murmur(request, response, call);
    else this.#standard(request, response, call);
  }

  #murmur(request: IncomingMessage, response: ServerResponse, { wish }: StreamCall): void {
    const renderer = new MurmurRenderer(wish.kind === 'watch' ? 'watch' : 'send');
    // Before anything starts, so that nothing of it is missed.
    const connection = this.#connect(response, renderer);
    const resumeFrom = readResume(request);
    if (wish.kind === 'watch') {
      const first = acknowledgement(this.#options.conversation);
      // Who watches and does not say where it was is given everything; who sends is given nothing old (spec/door.md 15.1).
      connection.open({ first, resumeFrom: resumeFrom ?? 0 });
      return;
    }
    const task = taskOf(wish);
    if ('error' in task) connection.open({ resumeFrom, last: errorFrame(task.error.message) });
    else if (task.state === 'rejected') connection.open({ resumeFrom, last: rejectedFrame(task) });
    else {
      renderer.follow(task.taskId);
      connection.open({ resumeFrom });
    }
  }

  #standard(request: IncomingMessage, response: ServerResponse, { frames, id, bare, wish }: StreamCall): void {
    if (wish.kind === 'watch') throw new Error('stream/watch has Murmur frames only');
    const { bus } = this.#options;
    const wrap = (result: unknown) => (bare === undefined ? { jsonrpc: '2.0', id, result } : result);
    const renderer = new StandardRenderer(wrap, frames === 'v1' ? v1Shape : v03Shape);
    const position = bus.lastId;
    const connection = this.#connect(response, renderer);
    const task = this.#missedEnd(request, wish) ?? taskOf(wish);
    if ('error' in task) {
      connection.leave();
      if (bare === undefined) refuse(request, response, id, task.error);
      else bare.refuse(task.error);
      return;
    }
    // A send begins something: what a client saw before is not of it.
    const asked = wish.kind === 'start' ? undefined : readResume(request);
    // Who missed more than is held is like one who comes for the first time: the whole task makes up for it.
    const resumeFrom = asked === undefined || bus.since(asked).firstAvailableId !== undefined ? undefined : asked;
    const seen = resumeFrom ?? position;
    const turn = bus.turnAt(task.taskId, seen);
    if (resumeFrom !== undefined) {
      const past = bus.since(0).events.filter((logged) => logged.id <= seen);
      connection.open({ first: renderer.resume(task, seen, turn, past), resumeFrom });
      return;
    }
    const first = renderer.begin(task, seen, turn);
    connection.open(isFinal(task.state) ? { last: first } : { first });
  }

  /** The ended task that a refused follower asks for, if it comes back before it was told of that end. */
  #missedEnd(request: IncomingMessage, wish: StreamWish): TaskSnapshot | undefined {
    const resumeFrom = readResume(request);
    if (wish.kind !== 'refused' || wish.ended === undefined || resumeFrom === undefined) return undefined;
    const { taskId } = wish.ended;
    const { events } = this.#options.bus.since(resumeFrom);
    const isHeld = events.some(
      ({ id, event }) => id > resumeFrom && event.type === 'status' && event.final && event.taskId === taskId,
    );
    return isHeld ? wish.ended : undefined;
  }

  #connect(response: ServerResponse, renderer: Renderer): StreamConnection {
    return new StreamConnection({ ...this.#options, response, renderer });
  }
}

function taskOf(wish: Exclude<StreamWish, { kind: 'watch' }>): TaskSnapshot | { readonly error: RpcError } {
  if (wish.kind === 'start') return wish.start();
  return wish.kind === 'subscribe' ? wish.task : wish;
}

/** The last event the client has seen, when it says so. */
function readResume({ headers }: IncomingMessage): number | undefined {
  return readLastEventId(headers['last-event-id']);
}

/** As a frame to whoever reads frames only, and as the plain answer to everybody else (spec/door.md 15.5). */
function refuse(request: IncomingMessage, response: ServerResponse, id: unknown, error: RpcError): void {
  if (!/(^|[\s,])text\/event-stream\b/i.test(request.headers.accept ?? '')) {
    respond(request, response, 0, { status: 200, body: replyBody(id, { error }) });
    return;
  }
  response.writeHead(200, sseHeaders).end(frame({ data: { jsonrpc: '2.0', id, error } }));
}

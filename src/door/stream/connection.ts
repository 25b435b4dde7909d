import type { ServerResponse } from 'node:http';
import type { BusListener, EventBus } from './bus.js';
import type { Renderer } from './renderer.js';
import { Ring } from './ring.js';
import { comment } from './sse.js';
import type { LoggedEvent } from './types.js';

/** Live events that wait for one slow client (spec/door.md 15.4). */
export const liveLimit = 128;
export const heartbeatMs = 15_000;

export interface ConnectionOptions {
  readonly response: ServerResponse;
  readonly bus: EventBus;
  readonly renderer: Renderer;
  /** Told how many events a client lost, once per `lagged` frame. */
  readonly onLag?: ((missed: number) => void) | undefined;
  readonly liveLimit?: number;
  readonly heartbeatMs?: number;
}

export interface Opening {
  readonly first?: string;
  readonly resumeFrom?: number | undefined;
  readonly last?: string;
}

export const sseHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
} as const;

/**
 * One client's stream. It listens from the moment it is made and writes from `open` on, so nothing falls between.
 *
 * The session never waits for it: as long as the socket is full, events queue up to the limit, then the oldest go and the client is
 * told how many. Events are held by reference and become text only when the socket takes them, so a client that stalls costs the
 * queue and nothing more. One that takes nothing at all for a while is cut off by the server (../server.ts, `stallMs`): it can come back
 * and say where it was.
 *
 * Does not stop: a machine that vanished while nothing much happens. What it is sent, heartbeats included, goes into the buffers of
 * this machine first, and only the kernel knows that nobody acknowledges it; Linux gives such a connection up after about a quarter of
 * an hour. Until then it costs one of the door's connections.
 */
export class StreamConnection implements BusListener {
  readonly #options: ConnectionOptions;
  readonly #live: Ring<LoggedEvent>;
  #leave: () => void = () => undefined;
  #replay: readonly LoggedEvent[] = [];
  #replayed = 0;
  #missed = 0;
  #beat: NodeJS.Timeout | undefined;
  #flushing: NodeJS.Immediate | undefined;
  /** `sated`: the last event is in the queue, nothing is taken any more. */
  #state: 'waiting' | 'open' | 'sated' | 'closed' = 'waiting';
  /** What follows the queue of a sated stream. */
  #last = '';
  #isBlocked = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#live = new Ring(options.liveLimit ?? liveLimit);
    const close = () => this.#close();
    options.response
      .on('close', close)
      .on('error', close)
      .on('drain', () => this.#unblock());
    this.#leave = options.bus.listen(this);
  }

  /**
   * Sends the headers, then `first`, then what the client missed since `resumeFrom`, then what happens, nothing twice. With `last`,
   * that comes in place of what happens, and the stream closes.
   */
  open({ first = '', resumeFrom, last }: Opening): void {
    if (this.#state === 'closed') return;
    const { response, renderer, bus } = this.#options;
    response.writeHead(200, sseHeaders);
    let head = first;
    if (resumeFrom !== undefined) {
      const { firstAvailableId, events } = bus.since(resumeFrom);
      if (firstAvailableId !== undefined) head += renderer.gap(firstAvailableId);
      this.#replay = events.filter((logged) => renderer.wants(logged));
      while (this.#live.oldest !== undefined && this.#live.oldest.id <= (events.at(-1)?.id ?? 0)) this.#live.shift();
    }
    if (head === '') response.flushHeaders();
    else this.#write(head);
    if (this.#state === 'waiting') this.#state = 'open';
    if (last !== undefined) this.#sate(last);
    this.#beat = setInterval(() => this.#heartbeat(), this.#options.heartbeatMs ?? heartbeatMs);
    this.#flush();
  }

  /** Takes nothing more and leaves the response to whoever made the connection. */
  leave(): void {
    this.#close();
  }

  event(logged: LoggedEvent): void {
    const { renderer } = this.#options;
    if (this.#state === 'closed' || this.#state === 'sated' || !renderer.wants(logged)) return;
    if (this.#live.isFull && this.#state === 'open') this.#flush();
    if (this.#live.push(logged)) this.#missed += 1;
    if (renderer.isLast(logged, true) && this.#state === 'open') this.#sate();
    if (!this.#isBlocked) this.#flushing ??= setImmediate(() => this.#flush());
  }

  ended(): void {
    if (this.#state === 'closed') return;
    this.#sate(this.#options.renderer.ended());
    this.#flush();
  }

  /** Nothing that follows may push the last event out of the queue. */
  #sate(last = ''): void {
    this.#state = 'sated';
    this.#last = last;
    this.#leave();
  }

  /** All that waits, in one write, until the socket is full. */
  #flush(): void {
    if (this.#flushing !== undefined) clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const { renderer, response } = this.#options;
    if (!response.headersSent) return;
    let text = '';
    while (!this.#isBlocked && this.#state !== 'closed') {
      const isLive = this.#replayed === this.#replay.length;
      const logged = isLive ? this.#live.shift() : this.#replay[this.#replayed++];
      if (logged === undefined) break;
      if (isLive && this.#missed > 0) text += this.#lagged();
      text += renderer.event(logged);
      if (renderer.isLast(logged, isLive)) {
        this.#finish(text);
        return;
      }
      if (text.length >= response.writableHighWaterMark) {
        this.#write(text);
        text = '';
      }
    }
    if (text !== '') this.#write(text);
    if (this.#state === 'sated' && !this.#isBlocked) this.#finish(this.#last);
  }

  #lagged(): string {
    const missed = this.#missed;
    this.#missed = 0;
    this.#options.onLag?.(missed);
    return this.#options.renderer.lagged(missed);
  }

  #finish(text: string): void {
    const { response } = this.#options;
    this.#close();
    response.end(text);
  }

  #write(text: string): void {
    this.#isBlocked = !this.#options.response.write(text);
  }

  #unblock(): void {
    this.#isBlocked = false;
    this.#flush();
  }

  /** A client that does not read is not told that we are there: its socket is full as it is. */
  #heartbeat(): void {
    if (!this.#isBlocked) this.#write(comment('heartbeat'));
  }

  #close(): void {
    this.#state = 'closed';
    this.#leave();
    clearInterval(this.#beat);
    if (this.#flushing !== undefined) clearImmediate(this.#flushing);
    this.#flushing = undefined;
  }
}

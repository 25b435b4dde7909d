import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DoorLimits } from './types.js';

/** What is known of one connection. */
interface Held {
  /** Answers it waits for, oldest first: more than one when requests are pipelined. */
  readonly waiting: Set<ServerResponse>;
  /** Bytes read when the last answer was through; absent before the first. */
  readAtRest?: number;
}

/**
 * The HTTP server of a door: it keeps connections open between requests and holds its clients to `limits`.
 *
 * What ends a connection here: its client takes nothing for `stallMs` while something waits to be taken, a quiet stream excepted
 * (cases/reports row 36); it asks for more than `pipelined` things before the first is answered; it is silent for `idleMs` between
 * two requests, or at all while every one of the `connections` is in use; it has left most, where all together leave more than
 * `untakenBytes` of their answers with us. A connection over the bound is closed without an answer.
 * Time for a request to arrive is Node's own to keep (`requestTimeout`, `headersTimeout`).
 *
 * Does not stop: a client that takes a few bytes each minute, which costs one of the connections and the queue of one stream; a
 * program that opens all connections and asks something on each.
 */
export class DoorServer extends Server {
  readonly #limits: DoorLimits;
  readonly #held = new Map<Socket, Held>();
  #isDraining = false;

  constructor(limits: DoorLimits, serve: RequestListener) {
    super({
      maxHeaderSize: limits.headerBytes,
      requestTimeout: limits.requestMs,
      headersTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(1_000, limits.requestMs),
    });
    this.#limits = limits;
    this.timeout = limits.stallMs;
    this.maxConnections = limits.connections;
    const admit: RequestListener = (request, response) => {
      if (this.#admit(request, response)) serve(request, response);
    };
    // A sender that asks before it sends its body is guarded first; see readBody.
    this.on('request', admit).on('checkContinue', admit);
    this.on('connection', (socket: Socket) => this.#hold(socket));
  }

  /** What was asked so far is answered; the last answer of each connection says that it is. */
  drain(): void {
    this.#isDraining = true;
    for (const { waiting } of this.#held.values()) {
      const newest = [...waiting].at(-1);
      if (newest !== undefined) sayLast(newest);
    }
  }

  /** Cuts whoever has left most of its answers with us, until what all leave is within the bound. Cheap for an answer that is not large. */
  shed(answered: ServerResponse): void {
    if (answered.writableLength < largeBytes) return;
    const untaken = [...this.#held].map(([socket, held]) => ({ socket, bytes: untakenOf(socket, held) }));
    let total = untaken.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { socket, bytes } of untaken.sort((a, b) => b.bytes - a.bytes)) {
      if (total <= this.#limits.untakenBytes) return;
      socket.destroy();
      total -= bytes;
    }
  }

  /**
   * Closes what is between two requests, or was opened and never used. Node's own, which `close` calls, takes an answer that is still
   * on its way to a slow reader for over.
   */
  override closeIdleConnections(): void {
    for (const [socket, held] of this.#held) if (isAtRest(socket, held, 0)) socket.destroy();
  }

  #hold(socket: Socket): void {
    // A connection that was put back (side.ts) comes a second time.
    if (this.#held.has(socket)) return;
    this.#held.set(socket, { waiting: new Set() });
    socket.once('close', () => this.#lose(socket));
    if (!this.#isFull) return;
    for (const [other, held] of this.#held) if (isAtRest(other, held)) other.destroy();
  }

  get #isFull(): boolean {
    return this.#held.size >= this.#limits.connections;
  }

  #admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const held = this.#held.get(socket);
    // Behind the last answer of a connection nothing is asked (RFC 9112, 9.6): Node would go on, and end in an assertion of its own.
    if (!socket.writable || (held !== undefined && [...held.waiting].some(isLast))) return false;
    if (held === undefined || held.waiting.size >= this.#limits.pipelined) {
      socket.destroy();
      return false;
    }
    held.waiting.add(response);
    if (this.#isDraining || this.#isFull) sayLast(response);
    // Whoever listens here decides: without, Node would cut an answer that is merely long in coming.
    response.on('timeout', () => {
      if (socket.writableLength > 0) socket.destroy();
    });
    response.once('close', () => this.#settle(socket, held, response));
    return true;
  }

  #settle(socket: Socket, held: Held, response: ServerResponse): void {
    held.waiting.delete(response);
    held.readAtRest = socket.bytesRead;
    // The socket is not handed on before this event is over.
    if (this.#isDraining && held.waiting.size === 0) setImmediate(() => socket.destroySoon());
  }

  /** Node tells only the answer whose turn it was that its client is gone; a stream that was next in line would go on for ever. */
  #lose(socket: Socket): void {
    const waiting = [...(this.#held.get(socket)?.waiting ?? [])];
    this.#held.delete(socket);
    for (const response of waiting) response.destroy();
    setImmediate(() => {
      for (const response of waiting) if (!response.closed) response.emit('close');
    });
  }
}

/** What may lie with every connection without being counted. */
const largeBytes = 64 * 1024;

/** An answer whose turn it is counts in what its socket holds. */
function untakenOf(socket: Socket, { waiting }: Held): number {
  return [...waiting].reduce((sum, answer) => sum + queuedIn(answer), socket.writableLength);
}

function queuedIn({ writableLength, socket }: ServerResponse): number {
  return writableLength - (socket?.writableLength ?? 0);
}

/** True when nothing was asked since the last answer; `unused` stands for that answer on a connection that had none. */
function isAtRest(socket: Socket, { waiting, readAtRest }: Held, unused?: number): boolean {
  return waiting.size === 0 && (readAtRest ?? unused) === socket.bytesRead;
}

/** Makes this the last answer of its connection, unless it has begun. */
export function sayLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

function isLast(response: ServerResponse): boolean {
  return response.getHeader('connection') === 'close';
}

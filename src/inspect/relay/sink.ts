import { WebSocket as Socket, type WebSocket } from 'ws';
import type { Frame } from '../frame.js';
import { limits } from '../limits.js';

/** Where a source writes its frames: one page, one terminal, one relay. */
export interface Sink {
  /** Aborts when nobody reads any more. */
  readonly signal: AbortSignal;
  /** Whole messages of `mur.inspect.v1`, as a session sent them. */
  pass(message: string): void;
  send(frames: readonly Frame[]): void;
  /** Resolves at once while the reader keeps up, else when it has. Rejects never; ask `signal`. */
  ready(): Promise<void>;
}

const pollMs = 20;

/** The sink of one page. */
export function socketSink(socket: WebSocket): Sink {
  const ended = new AbortController();
  socket.on('close', () => ended.abort());
  socket.on('error', () => ended.abort());
  const pass = (message: string): void => {
    if (socket.readyState === Socket.OPEN) socket.send(message);
  };
  return {
    signal: ended.signal,
    pass,
    send: (frames) => {
      if (frames.length > 0) pass(JSON.stringify(frames));
    },
    async ready() {
      while (!ended.signal.aborted && socket.bufferedAmount > limits.socketBytes) {
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
    },
  };
}

/** A sink that hands each frame to `take`: the terminal, or a relay. `isFull` says that it cannot take more right now. */
export function frameSink(signal: AbortSignal, take: (frame: Frame) => void, isFull: () => boolean): Sink {
  const send = (frames: readonly Frame[]): void => {
    if (!signal.aborted) for (const frame of frames) take(frame);
  };
  return {
    signal,
    send,
    pass: (message) => send(JSON.parse(message) as Frame[]),
    async ready() {
      while (!signal.aborted && isFull()) await new Promise((resolve) => setTimeout(resolve, pollMs));
    },
  };
}

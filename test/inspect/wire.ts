/** Clients of a hub, over real sockets. */
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type Frame, type FrameType, PROTOCOL } from '../../src/inspect/frame.js';
import type { Limits } from '../../src/inspect/limits.js';
import { type OpenHub, openHub } from './open-hub.js';

/** A hub that is closed when the test ends. */
export async function hubForTest(given: Partial<Limits> = {}): Promise<OpenHub> {
  const opened = await openHub(given);
  onTestFinished(() => opened.close());
  return opened;
}

type Of<T extends FrameType> = Frame & { readonly type: T };

export class Watcher {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly messages: string[] = [];
  #waiting: (() => void)[] = [];

  constructor(
    port: number,
    token: string,
    protocols: string[] = [PROTOCOL, `bearer.${token}`],
    query = '',
    headers: Record<string, string> = {},
  ) {
    const url = `ws://127.0.0.1:${port}/inspect${query}`;
    this.socket = new WebSocket(url, protocols, { perMessageDeflate: false, headers });
    this.socket.on('message', (data) => {
      this.messages.push(String(data));
      const value = JSON.parse(String(data)) as Frame | Frame[];
      this.frames.push(...(Array.isArray(value) ? value : [value]));
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  of<T extends FrameType>(type: T): Of<T>[] {
    return this.frames.filter((frame): frame is Of<T> => frame.type === type);
  }

  /** Resolves once `holds`, asked after each message, is true. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error('the socket closed first');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async synced(sys: string): Promise<void> {
    await this.until(() => this.of('synced').some((frame) => frame.sys === sys));
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, 'close');
    this.socket.close();
    await closed;
  }
}

/**
 * Guest-thread side of the bridge: questions that put this thread to sleep until main answers, and events that do not.
 * Not the answers (src/wasm/bridge.ts). Three rules keep it sound, each with a regression test:
 * the wait re-reads its flag (a late notify wakes the next wait), main drains the port after the call (events of the last
 * moment arrive after the result), and the port is closed by main only.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { BridgeReply, WorkerMessage } from './message.js';
import type { GuestBridge, GuestEvent } from './protocol.js';

/** Int32 slots of the shared flags. */
export const replySlot = 0;
export const consumedSlot = 1;
export const flagsByteLength = 8;

/** Weight of events main has not handled yet at which the guest waits, so that a flood fills no memory but its own. */
export const eventBacklogBytes = 4 * 1024 * 1024;

/** A failed import: the guest traps with this message. */
export class BridgeFault extends Error {
  override readonly name = 'BridgeFault';
}

export class WorkerBridge implements GuestBridge {
  readonly #port: MessagePort;
  readonly #flags: Int32Array;
  #asked = 0;
  #postedWeight = 0;
  #fault: BridgeFault | undefined;

  constructor(port: MessagePort, flags: SharedArrayBuffer) {
    this.#port = port;
    this.#flags = new Int32Array(flags);
  }

  /** The first fault of this call. It decides the call's end even when the guest caught the exception. */
  get fault(): BridgeFault | undefined {
    return this.#fault;
  }

  call<T>(op: string, args: unknown, transfer: readonly ArrayBuffer[] = []): T {
    if (this.#fault !== undefined) throw this.#fault;
    const answered = this.#asked;
    this.#asked = (answered + 1) | 0;
    try {
      this.#send({ type: 'request', op, args }, transfer);
    } catch (error) {
      this.#asked = answered;
      throw this.#fail(`${op}: the arguments cannot be sent to the host: ${String(error)}`);
    }
    // The sequence number, not the wake, says that the reply is there.
    while (Atomics.load(this.#flags, replySlot) !== this.#asked) Atomics.wait(this.#flags, replySlot, answered);
    const reply = receiveMessageOnPort(this.#port)?.message as BridgeReply | undefined;
    if (reply === undefined) throw this.#fail(`${op}: the host answered without a reply`);
    if (reply.status === 'value') return reply.value as T;
    if (reply.status === 'payload') throw reply.payload;
    throw this.#fail(reply.message);
  }

  post(event: GuestEvent): void {
    const weight = weightOf(event);
    this.#send({ type: 'event', event, weight }, []);
    this.#postedWeight = (this.#postedWeight + weight) | 0;
    for (;;) {
      const consumed = Atomics.load(this.#flags, consumedSlot);
      if (((this.#postedWeight - consumed) | 0) <= eventBacklogBytes) return;
      Atomics.wait(this.#flags, consumedSlot, consumed);
    }
  }

  /** Starts the instantiation budget on main. */
  announceInstantiation(): void {
    this.#send({ type: 'instantiating' }, []);
  }

  #send(message: WorkerMessage, transfer: readonly ArrayBuffer[]): void {
    this.#port.postMessage(message, transfer);
  }

  #fail(message: string): BridgeFault {
    this.#fault ??= new BridgeFault(message);
    return this.#fault;
  }
}

/** Approximate bytes an event holds while it waits for main; never 0. */
function weightOf(event: GuestEvent): number {
  switch (event.type) {
    case 'chunk':
    case 'thinking':
      return 128 + event.text.length * 2;
    case 'tool-call-started':
      return 128 + (event.id.length + event.name.length) * 2;
    case 'tool-call-input-bytes':
      return 128 + event.id.length * 2;
    case 'started':
      return 128;
  }
}

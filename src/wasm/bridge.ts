/**
 * Main's side of the bridge of one guest call: hands events on, answers questions, and after the call reads what is still in
 * the port. Not the answers themselves (answer.ts), not permits or deadlines (call.ts, through the hooks given here).
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { consumedSlot, flagsByteLength, replySlot } from '../../workers/bridge.js';
import type { BridgeReply, WorkerMessage } from '../../workers/message.js';
import type { GuestEvent } from '../../workers/protocol.js';
import { reasonOf } from '../errors/index.js';

export interface BridgeHooks {
  /** The reply to a question, or `undefined` when the call is over and nobody waits for one. */
  answer(op: string, args: unknown): Promise<BridgeReply | undefined>;
  event(event: GuestEvent): void;
  instantiating(): void;
}

export class HostBridge {
  /** Goes to the worker. */
  readonly guestPort: MessagePort;
  readonly flags = new SharedArrayBuffer(flagsByteLength);
  readonly #port: MessagePort;
  readonly #view = new Int32Array(this.flags);
  readonly #hooks: BridgeHooks;
  #closed = false;

  constructor(hooks: BridgeHooks) {
    const { port1, port2 } = new MessageChannel();
    this.guestPort = port2;
    this.#port = port1;
    this.#hooks = hooks;
    port1.on('message', (message: WorkerMessage) => this.#handle(message));
  }

  /** Reads every event that is already in the port, then closes it: the call's result may overtake its last events. */
  close(): void {
    if (this.#closed) return;
    for (;;) {
      const entry = receiveMessageOnPort(this.#port) as { message: WorkerMessage } | undefined;
      if (entry === undefined) break;
      if (entry.message.type === 'event') this.#handle(entry.message);
    }
    this.#closed = true;
    this.#port.close();
  }

  #handle(message: WorkerMessage): void {
    if (this.#closed) return;
    if (message.type === 'event') {
      Atomics.add(this.#view, consumedSlot, message.weight);
      Atomics.notify(this.#view, consumedSlot);
      this.#hooks.event(message.event);
    } else if (message.type === 'request') {
      void this.#answer(message.op, message.args);
    } else {
      this.#hooks.instantiating();
    }
  }

  async #answer(op: string, args: unknown): Promise<void> {
    const reply = await this.#hooks.answer(op, args);
    if (reply === undefined || this.#closed) return;
    try {
      this.#port.postMessage(reply);
    } catch (error) {
      // A host function answered with something that is not data; the guest must not wait for it for ever.
      const message = `${op}: the host's answer cannot be sent to the guest: ${reasonOf(error)}`;
      this.#port.postMessage({ status: 'fault', message } satisfies BridgeReply);
    }
    // One question at a time, so a count is its sequence number.
    Atomics.add(this.#view, replySlot, 1);
    Atomics.notify(this.#view, replySlot);
  }
}

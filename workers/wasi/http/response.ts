import type { GuestBridge } from '../../protocol.js';
import type { Pollable, Poller } from '../io/poll.js';
import { IncomingBody } from './body.js';
import { Fields } from './fields.js';
import type { HeaderPair, IdArgs, ResponseReply } from './messages.js';

/** `wasi:http/types#future-incoming-response`. */
export class FutureIncomingResponse {
  readonly #poller: Poller;
  readonly #bridge: GuestBridge;
  readonly #id: number;
  #answered = false;

  constructor(poller: Poller, bridge: GuestBridge, id: number) {
    this.#poller = poller;
    this.#bridge = bridge;
    this.#id = id;
  }

  subscribe(): Pollable {
    return this.#poller.pollable(
      this.#answered ? { kind: 'ready' } : { kind: 'http', wait: { id: this.#id, for: 'response' } },
    );
  }

  /** `undefined` while nothing arrived; then, once, the response or its error; after that the outer `err`. */
  get(): unknown {
    if (this.#answered) return { tag: 'err', val: undefined };
    const reply = this.#bridge.call<ResponseReply>('http.response', { id: this.#id } satisfies IdArgs);
    if (reply === undefined) return undefined;
    this.#answered = true;
    if ('error' in reply) return { tag: 'ok', val: { tag: 'err', val: reply.error } };
    const response = new IncomingResponse(this.#poller, this.#bridge, this.#id, reply.status, reply.headers);
    return { tag: 'ok', val: { tag: 'ok', val: response } };
  }

  [Symbol.dispose](): void {
    if (!this.#answered) this.#bridge.call('http.close', { id: this.#id } satisfies IdArgs);
  }
}

/** `wasi:http/types#incoming-response`. Dropping it unread closes its connection. */
export class IncomingResponse {
  readonly #poller: Poller;
  readonly #bridge: GuestBridge;
  readonly #id: number;
  readonly #status: number;
  readonly #headers: readonly HeaderPair[];
  #consumed = false;

  constructor(poller: Poller, bridge: GuestBridge, id: number, status: number, headers: readonly HeaderPair[]) {
    this.#poller = poller;
    this.#bridge = bridge;
    this.#id = id;
    this.#status = status;
    this.#headers = headers;
  }

  status(): number {
    return this.#status;
  }

  headers(): Fields {
    return Fields.immutable(this.#headers);
  }

  consume(): IncomingBody {
    if (this.#consumed) throw undefined;
    this.#consumed = true;
    return new IncomingBody(this.#poller, this.#bridge, this.#id);
  }

  [Symbol.dispose](): void {
    if (!this.#consumed) this.#bridge.call('http.close', { id: this.#id } satisfies IdArgs);
  }
}

/**
 * The egress: answers the `http.*` calls of one guest call and is the only place that opens sockets for guests. Every request is checked
 * here, on the main thread, beside the connection it leads to; what the worker checked before is not relied on.
 *
 * Refused before any connection: a destination no rule matches, a name that resolves to private addresses only (spec/spend.md 6.3).
 * Never: a redirect followed, a proxy from the environment, a connection shared between two requests, a key in a reply or an event.
 * Does not stop: data sent to an allowed host, and timing. Not the rules themselves (src/policy/network.ts).
 * Read next: plan.ts and gateway.ts (what is sent), exchange.ts (how), lookup.ts (where to).
 */
import type {
  CapacityArgs,
  CapacityReply,
  FinishReply,
  HttpErrorCode,
  HttpOp,
  IdArgs,
  OpenArgs,
  OpenReply,
  PollArgs,
  ReadArgs,
  ReadReply,
  Refused,
  ResponseReply,
  TrailersReply,
  WriteArgs,
} from '../../../workers/wasi/http/messages.js';
import { parseTarget } from '../../policy/network.js';
import type { EgressSession } from '../types.js';
import { Exchange, type ExchangeTimeouts } from './exchange.js';
import { gatewayPlan } from './gateway.js';
import { contentLength, headerBytes, requestHeaders } from './headers.js';
import { directPlan, type Plan, pathOf } from './plan.js';
import { type EgressPolicy, findGateway } from './policy.js';
import { Waiters } from './waiters.js';

export { directPlan } from './plan.js';
export {
  type Address,
  type CredentialSource,
  type EgressEvent,
  type EgressPolicy,
  type GatewayRoute,
  guestEndpoint,
} from './policy.js';
export { dial } from './wire.js';

/** Requests one guest call may have open at once. */
const mostOpen = 64;
const mostHeaderBytes = 256 * 1024;

export function createEgress(policy: EgressPolicy): EgressSession {
  return new Egress(policy);
}

class Egress implements EgressSession {
  readonly #policy: EgressPolicy;
  readonly #exchanges = new Map<number, Exchange>();
  readonly #waiters = new Waiters();
  #lastId = 0;
  #closed = false;

  constructor(policy: EgressPolicy) {
    this.#policy = policy;
  }

  async handle(op: string, args: unknown): Promise<unknown> {
    switch (op as HttpOp) {
      case 'http.open':
        return this.#open(args as OpenArgs);
      case 'http.write':
        return this.#write(args as WriteArgs);
      case 'http.capacity':
        return this.#capacity(args as CapacityArgs);
      case 'http.finish':
        return this.#finish(args as IdArgs);
      case 'http.response':
        return this.#response(args as IdArgs);
      case 'http.read':
        return this.#read(args as ReadArgs);
      case 'http.trailers':
        return { trailers: this.#exchanges.get((args as IdArgs).id)?.trailers ?? [] } satisfies TrailersReply;
      case 'http.poll':
        return this.#poll(args as PollArgs);
      case 'http.close':
        this.#drop((args as IdArgs).id);
        return undefined;
    }
    throw new Error(`the egress has no operation '${op}'`);
  }

  close(): void {
    this.#closed = true;
    for (const id of [...this.#exchanges.keys()]) this.#drop(id);
    this.#waiters.wake();
  }

  #open(args: OpenArgs): OpenReply {
    if (this.#closed || this.#exchanges.size >= mostOpen) return { error: { tag: 'connection-limit-reached' } };
    const headers = requestHeaders(args.headers);
    if (headerBytes(headers) > mostHeaderBytes) {
      return { error: { tag: 'HTTP-request-header-section-size', val: headerBytes(headers) } };
    }
    const expected = contentLength(headers);
    // CONNECT would turn the connection into a tunnel that no rule looks into.
    if (args.method.toUpperCase() === 'CONNECT') return { error: { tag: 'HTTP-request-method-invalid' } };
    if (expected === 'invalid') return { error: { tag: 'HTTP-protocol-error' } };
    const plan = this.#plan(args);
    if (plan === undefined) return { error: { tag: 'HTTP-request-denied' } };

    const exchange = new Exchange(plan, this.#timeouts(args), expected, () => this.#waiters.wake());
    if (!args.hasBody) exchange.finish();
    if (exchange.failure !== undefined) return { error: exchange.failure };
    this.#lastId += 1;
    this.#exchanges.set(this.#lastId, exchange);
    return { id: this.#lastId };
  }

  #plan(args: OpenArgs): Plan | undefined {
    const route = findGateway(this.#policy.gateways, args.scheme, args.authority, pathOf(args));
    if (route !== undefined && route.isOpen?.() !== false) return gatewayPlan(this.#policy, route, args);
    const target = route === undefined ? parseTarget(args.scheme, args.authority) : undefined;
    const plan = target === undefined ? undefined : directPlan(this.#policy, target, args);
    if (plan === undefined) {
      this.#policy.onEvent?.({
        type: 'egress.denied',
        reason: route === undefined ? 'not-allowed' : 'no-admission',
        target: target === undefined ? withoutUserinfo(args.authority) : `${target.host}:${target.port}`,
      });
    }
    return plan;
  }

  #timeouts(args: OpenArgs): ExchangeTimeouts {
    const { connectTimeoutMs = 30_000, firstByteTimeoutMs = 600_000, betweenBytesTimeoutMs = 600_000 } = this.#policy;
    return {
      connectMs: Math.min(connectTimeoutMs, args.connectTimeoutMs ?? connectTimeoutMs),
      firstByteMs: Math.min(firstByteTimeoutMs, args.firstByteTimeoutMs ?? firstByteTimeoutMs),
      betweenBytesMs: Math.min(betweenBytesTimeoutMs, args.betweenBytesTimeoutMs ?? betweenBytesTimeoutMs),
    };
  }

  #write({ id, chunk }: WriteArgs): CapacityReply {
    const exchange = this.#exchanges.get(id);
    exchange?.write(chunk);
    return capacityReply(exchange);
  }

  async #capacity({ id, wait }: CapacityArgs): Promise<CapacityReply> {
    const exchange = this.#exchanges.get(id);
    if (wait) await this.#waiters.until(() => !this.#exchanges.has(id) || exchange?.isReady('capacity') === true);
    return capacityReply(exchange);
  }

  #finish({ id }: IdArgs): FinishReply {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return gone;
    exchange.finish();
    return exchange.failure === undefined ? { done: true } : { error: exchange.failure };
  }

  #response({ id }: IdArgs): ResponseReply {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return gone;
    exchange.begin();
    return exchange.head ?? (exchange.failure === undefined ? undefined : { error: exchange.failure });
  }

  async #read({ id, maxBytes, wait }: ReadArgs): Promise<ReadReply> {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return gone;
    if (wait) await this.#waiters.until(() => exchange.isReady('body'));
    const taken = exchange.take(maxBytes);
    if (taken === undefined) return { chunk: new Uint8Array(0) };
    if (taken === 'end') return { end: true };
    return taken instanceof Uint8Array ? { chunk: taken } : { error: taken };
  }

  async #poll({ waits, timeoutMs }: PollArgs): Promise<readonly number[]> {
    for (const { id } of waits.filter((each) => each.for === 'response')) this.#exchanges.get(id)?.begin();
    const ready = (): number[] => {
      // An exchange that is gone is ready: asking for it answers with the reason.
      const isReady = ({ id, for: wanted }: (typeof waits)[number]) => this.#exchanges.get(id)?.isReady(wanted) ?? true;
      return [...waits.keys()].filter((index) => isReady(waits[index]!));
    };
    await this.#waiters.until(() => this.#closed || ready().length > 0, timeoutMs);
    return ready();
  }

  #drop(id: number): void {
    const exchange = this.#exchanges.get(id);
    this.#exchanges.delete(id);
    exchange?.close();
  }
}

const gone: Refused = { error: { tag: 'connection-terminated' } satisfies HttpErrorCode };

function capacityReply(exchange: Exchange | undefined): CapacityReply {
  if (exchange === undefined) return gone;
  return exchange.failure === undefined ? { capacity: exchange.capacity } : { error: exchange.failure };
}

/** The guest's own text, short, without what may be a password. */
function withoutUserinfo(authority: string | undefined): string {
  return (authority ?? '').split('@').at(-1)!.slice(0, 255);
}

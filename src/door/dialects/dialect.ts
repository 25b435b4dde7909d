import type { Clock } from '../../supervise/clock.js';
import type { TaskAcceptance } from '../../task/index.js';
import type { RpcOutcome, RpcRequest } from '../json-rpc.js';
import type { StreamCall, TaskPort } from '../port.js';
import type { TaskHeaders } from '../task-headers.js';

/** The card behind authentication, in the shape of either protocol age. */
export interface ExtendedCards {
  readonly v1: Readonly<Record<string, unknown>>;
  readonly v03: Readonly<Record<string, unknown>>;
}

/** What decides which methods a door serves. */
export interface Served {
  readonly acceptance: TaskAcceptance;
  readonly tasks: TaskPort;
  /** Streams are served. */
  readonly hasStreams: boolean;
  /** Callers need a token; only such a door has an extended card. */
  readonly isAuthenticated: boolean;
}

/** What a dialect may use to answer one request. */
export interface DialectContext extends Served {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly headers: TaskHeaders;
  /** Present on an authenticated door only. */
  readonly extendedCards?: ExtendedCards | undefined;
  /** Calls back when the caller is gone before its answer: whoever waits for its sake stops waiting, nothing else. */
  onLeft(gone: () => void): void;
}

/** An answer now, an answer later, or a stream that takes the response over. */
export type DialectAnswer = RpcOutcome | Promise<RpcOutcome> | { readonly stream: StreamCall };

/** One method: its params were found to be an object. */
export type Method = (params: Params, context: DialectContext, request: RpcRequest) => DialectAnswer;
export type Params = Readonly<Record<string, unknown>>;

/** One codec over the one task model: reads its own params, writes its own task objects and errors. */
export interface Dialect {
  /** The methods that do something at this door, in the order the card lists them. */
  methods(served: Served): readonly string[];
  call(request: RpcRequest, context: DialectContext): DialectAnswer;
}

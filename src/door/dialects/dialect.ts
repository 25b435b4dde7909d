import type { Clock } from '../../supervise/clock.js';
import type { TaskAcceptance } from '../../task/index.js';
import type { RpcOutcome, RpcRequest } from '../json-rpc.js';
import type { TaskPort } from '../port.js';
import type { TaskHeaders } from '../task-headers.js';

/** What a dialect may use to answer one request. */
export interface DialectContext {
  readonly tasks: TaskPort;
  readonly sessionId: string;
  readonly acceptance: TaskAcceptance;
  readonly clock: Clock;
  readonly headers: TaskHeaders;
}

/** One codec over the one task model: reads its own params, writes its own task objects and errors. */
export interface Dialect {
  /** The methods it answers, in the order the card lists them. */
  methods(tasks: TaskPort, acceptance: TaskAcceptance): readonly string[];
  call(request: RpcRequest, context: DialectContext): RpcOutcome;
}

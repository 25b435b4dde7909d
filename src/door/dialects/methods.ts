import { invalidParams, isObject, isStrict, type RpcError, type RpcRequest, rpcErrors } from '../json-rpc.js';
import { completionRefusal } from './completion.js';
import type { Dialect, DialectAnswer, DialectContext, Method, Params, Served } from './dialect.js';

/** One method of a dialect, and which doors have it. */
export interface MethodEntry {
  readonly answer: Method;
  /** What is wrong with the params, whatever the tasks are; `answer` says the same of them. Absent where nothing can be. */
  readonly check?: (params: Params) => RpcError | undefined;
  /** It begins a turn: not served under acceptance `none`. */
  readonly isStart?: true;
  readonly isStream?: true;
  /** Not every door has it. */
  readonly isServed?: (served: Served) => boolean;
  /** Answered everywhere and, where this is false, always with a refusal: then no card names it. */
  readonly isListed?: (served: Served) => boolean;
}

/** The dialect made of these methods. Its checks come in the order of spec/door.md 2.1, steps 9 to 14. */
export function dialectOf(style: 'v1' | 'older', entries: Readonly<Record<string, MethodEntry>>): Dialect {
  const methods = new Map(Object.entries(entries));
  return {
    methods: (served) =>
      [...methods]
        .filter(([, entry]) => isServed(entry, served) && (entry.isListed?.(served) ?? true))
        .map(([name]) => name),
    call: (request, context) => call(style, methods.get(request.method), request, context),
  };
}

function call(
  style: 'v1' | 'older',
  entry: MethodEntry | undefined,
  request: RpcRequest,
  context: DialectContext,
): DialectAnswer {
  const refused = completionRefusal(request.method, context, style);
  if (refused !== undefined) return { error: refused };
  if (entry === undefined || !isServed(entry, context)) return { error: rpcErrors.method };
  if (entry.isStart && context.headers.forgetSession) {
    return { error: invalidParams('this capsule keeps no harness session to forget') };
  }
  const params = request.params ?? {};
  if (!isObject(params)) return { error: invalidParams('params must be an object') };
  return refuseLoose(entry, params, request) ?? entry.answer(params, context, request);
}

/** What an envelope that is not as JSON-RPC has it is refused for. For all others the method reads its params, once. */
function refuseLoose(
  entry: MethodEntry,
  params: Params,
  request: RpcRequest,
): { readonly error: RpcError } | undefined {
  if (request.id !== undefined && isStrict(request)) return undefined;
  const wrong = entry.check?.(params);
  // What the Murmur dialect forgives of an envelope it forgives a request that is well otherwise: the rest are of somebody else.
  if (wrong !== undefined && !isStrict(request)) return { error: rpcErrors.request };
  // Nobody could be answered, so nothing is done; what else is wrong is the better thing to say.
  return request.id === undefined ? { error: wrong ?? rpcErrors.request } : undefined;
}

function isServed(entry: MethodEntry, served: Served): boolean {
  if (entry.isStart && served.acceptance === 'none') return false;
  if (entry.isStream && !served.hasStreams) return false;
  return entry.isServed?.(served) ?? true;
}

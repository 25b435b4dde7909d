/**
 * `wasi:http` for a guest that sends requests and serves none. Everything a guest holds is a plain object here; every request, byte and
 * wait is one bridge call to the egress on the main thread (src/wasm/egress), which alone decides and alone opens sockets.
 * Read next: messages.ts (the calls), body.ts (streaming).
 */
import type { GuestBridge } from '../../protocol.js';
import type { IoError } from '../io/error.js';
import type { Poller } from '../io/poll.js';
import { FutureTrailers, IncomingBody, OutgoingBody } from './body.js';
import { Fields } from './fields.js';
import type { OpenArgs, OpenReply } from './messages.js';
import { type Method, OutgoingRequest, RequestOptions, type Scheme } from './request.js';
import { FutureIncomingResponse, IncomingResponse } from './response.js';

/** Linked because the interface names them; only a guest that serves requests would be given one. */
class IncomingRequest {}
class OutgoingResponse {}
class ResponseOutparam {}

export function httpImports(poller: Poller, bridge: GuestBridge): Record<string, Record<string, unknown>> {
  /** The guest calls this constructor itself, so the call's poller comes with the class. */
  class Request extends OutgoingRequest {
    constructor(headers: Fields) {
      super(poller, headers);
    }
  }

  const handle = (request: OutgoingRequest, options: RequestOptions | undefined): FutureIncomingResponse => {
    const reply = bridge.call<OpenReply>('http.open', openArgs(request, options));
    if ('error' in reply) throw reply.error;
    request.requestBody?.attach(bridge, reply.id);
    return new FutureIncomingResponse(poller, bridge, reply.id);
  };

  return {
    'wasi:http/outgoing-handler': { handle },
    'wasi:http/types': {
      Fields,
      OutgoingRequest: Request,
      OutgoingBody,
      RequestOptions,
      FutureIncomingResponse,
      IncomingResponse,
      IncomingBody,
      FutureTrailers,
      IncomingRequest,
      OutgoingResponse,
      ResponseOutparam,
      httpErrorCode: (error: IoError) => error.httpCode,
    },
  };
}

function openArgs(request: OutgoingRequest, options: RequestOptions | undefined): OpenArgs {
  return {
    method: methodText(request.method()),
    scheme: schemeText(request.scheme()),
    authority: request.authority(),
    pathWithQuery: request.pathWithQuery(),
    headers: request.headers().entries(),
    hasBody: request.requestBody !== undefined,
    connectTimeoutMs: milliseconds(options?.connectTimeout()),
    firstByteTimeoutMs: milliseconds(options?.firstByteTimeout()),
    betweenBytesTimeoutMs: milliseconds(options?.betweenBytesTimeout()),
  };
}

function methodText(method: Method): string {
  return method.tag === 'other' ? method.val : method.tag.toUpperCase();
}

/** A request that names no scheme means https. */
function schemeText(scheme: Scheme | undefined): string {
  if (scheme === undefined) return 'https';
  return (scheme.tag === 'other' ? scheme.val : scheme.tag).toLowerCase();
}

function milliseconds(ns: bigint | undefined): number | undefined {
  return ns === undefined ? undefined : Math.ceil(Number(ns) / 1e6);
}

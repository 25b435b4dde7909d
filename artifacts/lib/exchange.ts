/**
 * One HTTP request through WASI. The runtime decides whether it may leave, where it really goes and with which key.
 * `fault` makes the error of what the host refused or could not do; a bug stays what it is.
 */
import handler from 'wasj:http/outgoing-handler@0.2.9';
import http, { type IncomingResponse, type OutputStream } from 'wasj:http/types@0.2.9';
import { isObject } from './json.js';
import { payloadOf } from './payload.js';
import { type Bytes, encode, Utf8Decoder } from './utf8.js';

export type Header = readonly [string, string];

export interface Exchange {
  readonly method: string;
  readonly scheme: 'HTTP' | 'HTTPS';
  readonly authority: string;
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

export interface Received {
  readonly status: number;
  headers(): Header[];
  /** Read while it arrives. */
  readonly body: Generator<Bytes>;
}

type Fault = (message: string) => Error;

const readBytes = 64 * 1024;
const plainMethods = ['get', 'head', 'post', 'put', 'delete', 'connect', 'options', 'trace', 'patch'];

/** The response as soon as its head is there. */
export function exchange(what: Exchange, fault: Fault): Received {
  const method = what.method.toLowerCase();
  try {
    const fields = http.Fields.fromList(what.headers.map(([name, value]) => [name, encode(value)]));
    const request = new http.OutgoingRequest(fields);
    request.setMethod(plainMethods.includes(method) ? { tag: method } : { tag: 'other', val: what.method });
    request.setScheme({ tag: what.scheme });
    request.setAuthority(what.authority);
    request.setPathWithQuery(what.path);
    const outgoing = request.body();
    const stream = outgoing.write();
    const future = handler.handle(request, null);
    send(stream, what.body);
    stream[Symbol.dispose]();
    http.OutgoingBody.finish(outgoing, null);
    const response = receive(future, fault);
    return {
      status: response.status(),
      headers: () =>
        response
          .headers()
          .entries()
          .map(([name, value]): Header => [name, decoded(value)]),
      body: read(response, fault),
    };
  } catch (error) {
    throw explained(error, fault);
  }
}

/** Writes as much at a time as the host takes. */
function send(stream: OutputStream, body: Uint8Array): void {
  for (let at = 0; at < body.length; ) {
    const room = stream.checkWrite();
    if (room === 0) stream.subscribe().block();
    else {
      stream.write(body.subarray(at, at + room));
      at += Math.min(room, body.length - at);
    }
  }
  stream.blockingFlush();
}

function receive(future: ReturnType<typeof handler.handle>, fault: Fault): IncomingResponse {
  let settled = future.get();
  while (settled === null) {
    future.subscribe().block();
    settled = future.get();
  }
  if (settled.val.tag === 'err') throw fault(`no response: ${reason(settled.val.val)}`);
  return settled.val.val;
}

function* read(response: IncomingResponse, fault: Fault): Generator<Bytes> {
  const stream = response.consume().stream();
  for (;;) {
    let bytes: Bytes;
    try {
      bytes = stream.blockingRead(readBytes);
    } catch (error) {
      const payload = payloadOf(error);
      if (isObject(payload) && payload.tag === 'closed') return;
      throw explained(error, (message) => fault(`the connection broke while the answer was read: ${message}`));
    }
    yield bytes;
  }
}

function decoded(bytes: Bytes): string {
  const decoder = new Utf8Decoder();
  return decoder.push(bytes) + decoder.end();
}

/** `error` as a fault when it came from the host; anything else stays as it is. */
function explained(error: unknown, fault: Fault): unknown {
  const payload = payloadOf(error);
  return payload === undefined ? error : fault(reason(payload));
}

/** A WASI error value as words: `connection-refused`, `DNS-error (ENOTFOUND)`. A detail may be a bigint, which JSON has no text for. */
function reason(payload: unknown): string {
  if (!isObject(payload)) return String(payload);
  const { tag, val } = payload;
  const details = (isObject(val) ? Object.values(val) : [val]).filter(
    (detail) => detail !== undefined && detail !== null,
  );
  return details.length === 0 ? String(tag) : `${String(tag)} (${details.join(', ')})`;
}

/** One HTTP POST through WASI. The runtime decides whether it may leave, where it really goes and with which key. */
import handler from 'wasj:http/outgoing-handler@0.2.9';
import http, { type IncomingResponse, type OutputStream } from 'wasj:http/types@0.2.9';
import { DriverError } from './conversation.js';
import type { Header, HttpResponse } from './driver.js';
import { target } from './endpoint.js';
import { isObject } from './json.js';
import { payloadOf } from './payload.js';
import { type Bytes, encode } from './utf8.js';

const readBytes = 64 * 1024;

/** The response as soon as its head is there; its body is read while it arrives. Throws `DriverError`. */
export function post(url: string, headers: readonly Header[], text: string): HttpResponse {
  const { scheme, authority, path } = target(url);
  const body = encode(text);
  const entries: Header[] = [...headers, ['content-type', 'application/json'], ['content-length', String(body.length)]];
  try {
    const fields = http.Fields.fromList(entries.map(([name, value]) => [name, encode(value)]));
    const request = new http.OutgoingRequest(fields);
    request.setMethod({ tag: 'post' });
    request.setScheme({ tag: scheme });
    request.setAuthority(authority);
    request.setPathWithQuery(path);
    const outgoing = request.body();
    const stream = outgoing.write();
    const future = handler.handle(request, null);
    send(stream, body);
    stream[Symbol.dispose]();
    http.OutgoingBody.finish(outgoing, null);
    return receive(future);
  } catch (error) {
    throw explained(error, `POST ${url} failed`);
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

function receive(future: ReturnType<typeof handler.handle>): HttpResponse {
  let settled = future.get();
  while (settled === null) {
    future.subscribe().block();
    settled = future.get();
  }
  if (settled.val.tag === 'err') throw new DriverError(`no response: ${reason(settled.val.val)}`);
  const response = settled.val.val;
  return { status: response.status(), body: read(response) };
}

function* read(response: IncomingResponse): Generator<Bytes> {
  const stream = response.consume().stream();
  for (;;) {
    let bytes: Bytes;
    try {
      bytes = stream.blockingRead(readBytes);
    } catch (error) {
      const payload = payloadOf(error);
      if (isObject(payload) && payload.tag === 'closed') return;
      throw explained(error, 'the connection broke while the answer was read');
    }
    yield bytes;
  }
}

/** `error` as a `DriverError` when it came from the host; anything else is a bug and stays as it is. */
function explained(error: unknown, what: string): unknown {
  if (error instanceof DriverError) return new DriverError(`${what}: ${error.message}`);
  const payload = payloadOf(error);
  return payload === undefined ? error : new DriverError(`${what}: ${reason(payload)}`);
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

/** One HTTP POST of a driver. */
import { DriverError } from './conversation.js';
import type { Header, HttpResponse } from './driver.js';
import { target } from './endpoint.js';
import { exchange } from './exchange.js';
import { encode } from './utf8.js';

/** The response as soon as its head is there; its body is read while it arrives. Throws `DriverError`. */
export function post(url: string, headers: readonly Header[], text: string): HttpResponse {
  const body = encode(text);
  const all: Header[] = [...headers, ['content-type', 'application/json'], ['content-length', String(body.length)]];
  return exchange(
    { method: 'post', ...target(url), headers: all, body },
    (message) => new DriverError(`POST ${url} failed: ${message}`),
  );
}

/** A provider's answer as JSON values, whether it came as a stream of events or as one document. */
import { DriverError } from './conversation.js';
import { isObject, type JsonObject, parse, string } from './json.js';
import { SseParser } from './sse.js';
import { type Bytes, cut, Utf8Decoder } from './utf8.js';

/** One event's data, or the whole answer when the provider did not stream. */
export type Part = { readonly document: JsonObject } | { readonly event: JsonObject };

/**
 * The parts of `body`, in order, each as soon as its last byte is there. Told apart by the first byte that is not blank.
 * Throws `DriverError` for what is not JSON; an event cut off by the end of the stream is dropped instead, because the
 * missing stop signal says more.
 */
export function* parts(body: Iterable<Bytes>): Generator<Part> {
  const decoder = new Utf8Decoder();
  const parser = new SseParser();
  let isDocument: boolean | undefined;
  let document = '';
  for (const bytes of body) {
    const text = decoder.push(bytes);
    document += isDocument === false ? '' : text;
    if (isDocument === undefined) {
      const first = /[^\s\ufeff]/.exec(document)?.[0];
      if (first === undefined) continue;
      isDocument = first === '{' || first === '[';
      if (!isDocument) yield* events(parser.push(document));
    } else if (!isDocument) yield* events(parser.push(text));
  }
  if (isDocument) yield { document: readDocument(document + decoder.end()) };
  else if (isDocument === false) yield* events(parser.push(decoder.end()).concat(parser.end()), true);
}

function* events(found: ReturnType<SseParser['push']>, atEnd = false): Generator<Part> {
  for (const { data } of found) {
    if (data === '[DONE]') continue;
    const value = parse(data);
    if (isObject(value)) yield { event: value };
    else if (!atEnd) throw new DriverError(`the provider sent an event that is no JSON object: ${cut(data, 200)}`);
  }
}

function readDocument(text: string): JsonObject {
  const value = parse(text.replace(/^\ufeff/, ''));
  const document = Array.isArray(value) ? value[0] : value; // some gateways wrap the answer in a list
  if (isObject(document)) return document;
  throw new DriverError(`the provider's answer is no JSON object: ${cut(text.trim(), 200)}`);
}

/** Throws when `value` is an error report sent inside a successful answer. */
export function refuseError(value: JsonObject): void {
  const error = value.error ?? (value.type === 'error' ? value : undefined);
  if (error === undefined || error === null) return;
  if (!isObject(error)) throw new DriverError(`the provider reported an error: ${cut(JSON.stringify(error), 500)}`);
  const words = [error.type === 'error' ? undefined : error.type, error.code, error.message].filter((word) =>
    string(word),
  );
  throw new DriverError(
    `the provider reported an error: ${words.length > 0 ? words.join(': ') : cut(JSON.stringify(error), 500)}`,
  );
}

/** Most bytes of an error answer that are read. */
const mostErrorBytes = 16 * 1024;

/** What a refusing answer says, as text. */
export function errorText(body: Iterable<Bytes>): string {
  const decoder = new Utf8Decoder();
  let text = '';
  let size = 0;
  for (const bytes of body) {
    text += decoder.push(bytes);
    size += bytes.length;
    if (size >= mostErrorBytes) break;
  }
  return cut((text + decoder.end()).trim(), mostErrorBytes);
}

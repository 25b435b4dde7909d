/** `fetch` over wasi:http: the part of it that a tool needs. Redirects are not followed: each host has to be allowed by the capsule. */
import { joined } from '../lib/bytes.js';
import { exchange, type Header } from '../lib/exchange.js';
import { Failure } from '../lib/failure.js';
import { type Bytes, encode, Utf8Decoder } from '../lib/utf8.js';

export interface FetchOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>> | readonly Header[];
  readonly body?: string | Uint8Array;
}

class Headers {
  readonly #entries: readonly Header[];
  constructor(entries: readonly Header[]) {
    this.#entries = entries.map(([name, value]): Header => [name.toLowerCase(), value]);
  }
  get(name: string): string | null {
    const found = this.#entries.filter(([key]) => key === name.toLowerCase()).map(([, value]) => value);
    return found.length === 0 ? null : found.join(', ');
  }
  has(name: string): boolean {
    return this.get(name) !== null;
  }
  entries(): IterableIterator<Header> {
    return this.#entries.values();
  }
  [Symbol.iterator](): IterableIterator<Header> {
    return this.entries();
  }
}

export class Response {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly #body: Iterable<Bytes>;

  constructor(status: number, url: string, headers: readonly Header[], body: Iterable<Bytes>) {
    this.status = status;
    this.url = url;
    this.headers = new Headers(headers);
    this.#body = body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  async text(): Promise<string> {
    const decoder = new Utf8Decoder();
    let text = '';
    for (const part of this.#body) text += decoder.push(part);
    return text + decoder.end();
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async bytes(): Promise<Uint8Array> {
    return joined(this.#body);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer as ArrayBuffer;
  }
}

export async function fetch(url: string, options: FetchOptions = {}): Promise<Response> {
  const text = String(url);
  const found = /^(https?):\/\/([^/?#@\s]+)([^#\s]*)(?:#.*)?$/i.exec(text);
  if (found === null)
    throw new Failure(`fetch takes an http or https URL without user information, got ${shown(text)}`);
  const [, scheme = '', authority = '', path = ''] = found;
  const body = typeof options.body === 'string' ? encode(options.body) : (options.body ?? new Uint8Array(0));
  const given: Header[] = Array.isArray(options.headers) ? [...options.headers] : Object.entries(options.headers ?? {});
  const headers: Header[] = body.length === 0 ? given : [...given, ['content-length', String(body.length)]];
  const received = exchange(
    {
      method: options.method ?? 'GET',
      scheme: scheme.toLowerCase() === 'https' ? 'HTTPS' : 'HTTP',
      authority,
      path: path.startsWith('/') ? path : `/${path}`,
      headers,
      body,
    },
    (message) => new Failure(`${scheme}://${authority} cannot be reached: ${message}`),
  );
  return new Response(received.status, text, received.headers(), received.body);
}

function shown(url: string): string {
  return url.includes('@') ? 'one with user information' : JSON.stringify(url);
}

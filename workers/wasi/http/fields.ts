import type { HeaderPair } from './messages.js';

/** `wasi:http/types#header-error`. */
export type HeaderError = { readonly tag: 'invalid-syntax' | 'forbidden' | 'immutable' };

/** Headers the connection itself sets. A guest that set them could aim a request at another host or split it in two. */
const forbidden: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function isToken(text: string): boolean {
  return token.test(text);
}

/** Tab, visible ASCII, space and the upper half (RFC 9110 section 5.5); no line break and no NUL. */
function isFieldValue(value: Uint8Array): boolean {
  return value.every((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f));
}

function refuse(tag: HeaderError['tag']): never {
  throw { tag } satisfies HeaderError;
}

/** `wasi:http/types#fields`. Names are kept in lower case, values byte for byte, in order. */
export class Fields {
  #pairs: HeaderPair[] = [];
  #immutable = false;

  static fromList(entries: readonly (readonly [string, Uint8Array])[]): Fields {
    const fields = new Fields();
    for (const [name, value] of entries) fields.append(name, value);
    return fields;
  }

  /** Received headers, or those of a request already built. Not checked: the guest did not write them. */
  static immutable(pairs: readonly HeaderPair[]): Fields {
    const fields = new Fields();
    fields.#pairs = pairs.map(([name, value]) => [name.toLowerCase(), value]);
    fields.#immutable = true;
    return fields;
  }

  get(name: string): Uint8Array[] {
    const key = name.toLowerCase();
    return this.#pairs.filter(([each]) => each === key).map(([, value]) => value);
  }

  has(name: string): boolean {
    return this.get(name).length > 0;
  }

  set(name: string, values: readonly Uint8Array[]): void {
    const key = this.#writable(name);
    if (!values.every(isFieldValue)) refuse('invalid-syntax');
    const added = values.map((value): HeaderPair => [key, new Uint8Array(value)]);
    this.#pairs = [...this.#pairs.filter(([each]) => each !== key), ...added];
  }

  delete(name: string): void {
    const key = this.#writable(name);
    this.#pairs = this.#pairs.filter(([each]) => each !== key);
  }

  append(name: string, value: Uint8Array): void {
    const key = this.#writable(name);
    if (!isFieldValue(value)) refuse('invalid-syntax');
    // The guest's buffer is a view of its memory, which it may write again.
    this.#pairs.push([key, new Uint8Array(value)]);
  }

  entries(): [string, Uint8Array][] {
    return this.#pairs.map(([name, value]) => [name, value]);
  }

  /** A copy that may be changed, also of immutable fields. */
  clone(): Fields {
    const fields = new Fields();
    fields.#pairs = [...this.#pairs];
    return fields;
  }

  #writable(name: string): string {
    if (this.#immutable) refuse('immutable');
    if (!isToken(name)) refuse('invalid-syntax');
    const key = name.toLowerCase();
    return forbidden.has(key) ? refuse('forbidden') : key;
  }
}

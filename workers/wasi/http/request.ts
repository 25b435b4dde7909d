import type { Poller } from '../io/poll.js';
import { OutgoingBody, RequestBody } from './body.js';
import { Fields, isToken } from './fields.js';

/** `wasi:http/types#method`. */
export type Method =
  | { readonly tag: 'get' | 'head' | 'post' | 'put' | 'delete' | 'connect' | 'options' | 'trace' | 'patch' }
  | { readonly tag: 'other'; readonly val: string };

/** `wasi:http/types#scheme`. */
export type Scheme = { readonly tag: 'HTTP' | 'HTTPS' } | { readonly tag: 'other'; readonly val: string };

/** The form of an error without a payload: the transpiled component takes any thrown value that is not an Error. */
function refuse(): never {
  throw undefined;
}

/** `wasi:http/types#outgoing-request`. */
export class OutgoingRequest {
  readonly #poller: Poller;
  readonly #headers: Fields;
  #method: Method = { tag: 'get' };
  #pathWithQuery: string | undefined;
  #scheme: Scheme | undefined;
  #authority: string | undefined;
  /** Present once the guest asked for it; `outgoing-handler` attaches it to what it sends. */
  requestBody: RequestBody | undefined;

  constructor(poller: Poller, headers: Fields) {
    this.#poller = poller;
    this.#headers = Fields.immutable(headers.entries());
  }

  body(): OutgoingBody {
    if (this.requestBody !== undefined) refuse();
    this.requestBody = new RequestBody();
    return new OutgoingBody(this.#poller, this.requestBody);
  }

  method(): Method {
    return this.#method;
  }

  setMethod(method: Method): void {
    if (method.tag === 'other' && !isToken(method.val)) refuse();
    this.#method = method;
  }

  pathWithQuery(): string | undefined {
    return this.#pathWithQuery;
  }

  setPathWithQuery(pathWithQuery: string | undefined): void {
    if (pathWithQuery !== undefined && !/^[/?]?[\x21-\x22\x24-\x7e]*$/.test(pathWithQuery)) refuse();
    this.#pathWithQuery = pathWithQuery;
  }

  scheme(): Scheme | undefined {
    return this.#scheme;
  }

  setScheme(scheme: Scheme | undefined): void {
    this.#scheme = scheme;
  }

  authority(): string | undefined {
    return this.#authority;
  }

  setAuthority(authority: string | undefined): void {
    if (authority !== undefined && !/^[\x21-\x7e]+$/.test(authority)) refuse();
    this.#authority = authority;
  }

  headers(): Fields {
    return Fields.immutable(this.#headers.entries());
  }
}

/** `wasi:http/types#request-options`. Durations in nanoseconds; the egress caps them. */
export class RequestOptions {
  #connectNs: bigint | undefined;
  #firstByteNs: bigint | undefined;
  #betweenBytesNs: bigint | undefined;

  connectTimeout(): bigint | undefined {
    return this.#connectNs;
  }

  setConnectTimeout(ns: bigint | undefined): void {
    this.#connectNs = ns;
  }

  firstByteTimeout(): bigint | undefined {
    return this.#firstByteNs;
  }

  setFirstByteTimeout(ns: bigint | undefined): void {
    this.#firstByteNs = ns;
  }

  betweenBytesTimeout(): bigint | undefined {
    return this.#betweenBytesNs;
  }

  setBetweenBytesTimeout(ns: bigint | undefined): void {
    this.#betweenBytesNs = ns;
  }
}

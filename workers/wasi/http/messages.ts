/**
 * What the guest side of `wasi:http` asks the egress on the main thread: the `http.*` operations of the bridge, their arguments and
 * replies. Plain structured-clone data. Failures the guest must see are values (`error`), never rejections.
 */

/** `wasi:http/types#error-code`, in the form the transpiled component takes. */
export type HttpErrorCode =
  | { readonly tag: PlainHttpErrorTag }
  | { readonly tag: 'DNS-error'; readonly val: { readonly rcode?: string; readonly infoCode?: number } }
  | { readonly tag: 'HTTP-request-body-size'; readonly val: bigint | undefined }
  | { readonly tag: 'HTTP-request-header-section-size'; readonly val: number | undefined }
  | { readonly tag: 'HTTP-response-header-section-size'; readonly val: number | undefined }
  | { readonly tag: 'internal-error'; readonly val: string | undefined };

export type PlainHttpErrorTag =
  | 'DNS-timeout'
  | 'destination-not-found'
  | 'destination-unavailable'
  | 'destination-IP-prohibited'
  | 'destination-IP-unroutable'
  | 'connection-refused'
  | 'connection-terminated'
  | 'connection-timeout'
  | 'connection-read-timeout'
  | 'connection-limit-reached'
  | 'TLS-protocol-error'
  | 'TLS-certificate-error'
  | 'HTTP-request-denied'
  | 'HTTP-request-method-invalid'
  | 'HTTP-request-URI-invalid'
  | 'HTTP-response-incomplete'
  | 'HTTP-response-timeout'
  | 'HTTP-upgrade-failed'
  | 'HTTP-protocol-error'
  | 'configuration-error';

export type HeaderPair = readonly [name: string, value: Uint8Array];

/** `http.open`: checks the request against the policy. Nothing is sent before the body is finished, large, or waited on. */
export interface OpenArgs {
  readonly method: string;
  readonly scheme: string;
  readonly authority: string | undefined;
  readonly pathWithQuery: string | undefined;
  readonly headers: readonly HeaderPair[];
  /** False when the guest never asked for the request's body. */
  readonly hasBody: boolean;
  readonly connectTimeoutMs?: number | undefined;
  readonly firstByteTimeoutMs?: number | undefined;
  readonly betweenBytesTimeoutMs?: number | undefined;
}
export type OpenReply = { readonly id: number } | Refused;

export interface Refused {
  readonly error: HttpErrorCode;
}

/** `http.write`, `http.capacity`, `http.finish`. */
export interface WriteArgs {
  readonly id: number;
  readonly chunk: Uint8Array;
}
export interface CapacityArgs {
  readonly id: number;
  readonly wait: boolean;
}
export interface IdArgs {
  readonly id: number;
}
/** Bytes the egress takes now without buffering past its limit. */
export type CapacityReply = { readonly capacity: number } | Refused;
export type FinishReply = { readonly done: true } | Refused;

/** `http.response`: `undefined` while nothing arrived. */
export type ResponseReply = { readonly status: number; readonly headers: readonly HeaderPair[] } | Refused | undefined;

/** `http.read`. */
export interface ReadArgs {
  readonly id: number;
  readonly maxBytes: number;
  readonly wait: boolean;
}
export type ReadReply = { readonly chunk: Uint8Array } | { readonly end: true } | Refused;

/** `http.trailers`: after the end of the body. */
export interface TrailersReply {
  readonly trailers: readonly HeaderPair[];
}

/** `http.poll`: positions in `waits` that are ready; empty after `timeoutMs`. */
export interface HttpWait {
  readonly id: number;
  readonly for: 'response' | 'body' | 'capacity';
}
export interface PollArgs {
  readonly waits: readonly HttpWait[];
  readonly timeoutMs: number | undefined;
}

export type HttpOp =
  | 'http.open'
  | 'http.write'
  | 'http.capacity'
  | 'http.finish'
  | 'http.response'
  | 'http.read'
  | 'http.trailers'
  | 'http.poll'
  | 'http.close';

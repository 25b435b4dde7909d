import { a2aError, unsupportedOperation } from '../dialects/errors.js';
import { type RpcError, rpcErrors } from '../json-rpc.js';
import type { Answer } from '../site.js';

/** HTTP status and `google.rpc.Code` by error code, where they are not 400 and `FAILED_PRECONDITION` (A2A 1.0, 5.4). */
const statuses: Readonly<Record<number, readonly [http: number, code: string]>> = {
  [-32001]: [404, 'NOT_FOUND'],
  [-32005]: [400, 'INVALID_ARGUMENT'],
  [-32600]: [400, 'INVALID_ARGUMENT'],
  [-32602]: [400, 'INVALID_ARGUMENT'],
  [-32603]: [500, 'INTERNAL'],
  [-32700]: [400, 'INVALID_ARGUMENT'],
};

/** An error as the HTTP+JSON binding writes it: `google.rpc.Status` in JSON, with the `ErrorInfo` that says which error it is. */
export function errorAnswer(error: RpcError): Answer {
  // Not to serve an operation is an error of its own here (A2A 1.0, 3.3.4).
  if (error.code === rpcErrors.method.code) return errorAnswer(unsupportedOperation('this door does not serve it'));
  const [http, code] = statuses[error.code] ?? [400, 'FAILED_PRECONDITION'];
  return statusAnswer(http, code, error.message, error.data ?? malformed(error));
}

/** The answer to a verb that a path does not have. */
export function verbRefused(verbs: readonly string[]): Answer {
  const allow = verbs.join(', ');
  return { ...statusAnswer(405, 'UNIMPLEMENTED', `this path takes ${allow}`, []), headers: { allow } };
}

export function bodyTypeRefused(contentType: string | undefined): RpcError {
  const got = contentType === undefined ? 'the body has none' : `not ${contentType}`;
  const message = `Content type not supported: expected application/a2a+json or application/json, ${got}`;
  return a2aError(-32005, 'CONTENT_TYPE_NOT_SUPPORTED', message, {});
}

/** This binding is that of A2A 1.0; in 0.3 it has other paths and another form. */
export function versionRefused(requestedVersion: string): RpcError {
  const message = `A2A version '${requestedVersion}' is not supported; HTTP+JSON is served in 1.0`;
  return a2aError(-32009, 'VERSION_NOT_SUPPORTED', message, { requestedVersion, supportedVersions: '1.0' });
}

/** The errors of JSON-RPC itself carry nothing there; here they say that the request is to blame. */
function malformed({ code }: RpcError): unknown {
  if (code === rpcErrors.internal.code) return [];
  return a2aError(code, 'INVALID_PARAMS', '', {}).data;
}

function statusAnswer(http: number, status: string, message: string, details: unknown): Answer {
  return { status: http, body: JSON.stringify({ error: { code: http, status, message, details } }) };
}

/**
 * The errors of A2A (spec/door.md section 18), as A2A 1.0 writes them: with an `ErrorInfo` that says why in a word and names
 * what it is about. The older dialects send the same code and text without it (`plain`).
 */
import type { RpcError } from '../json-rpc.js';

type Metadata = Readonly<Record<string, string>>;

export function taskNotFound(taskId: string): RpcError {
  return a2aError(-32001, 'TASK_NOT_FOUND', 'Task not found', { taskId });
}

export function taskNotCancelable(taskId: string, state: string): RpcError {
  const message = `Task cannot be canceled: it is already ${state}`;
  return a2aError(-32002, 'TASK_NOT_CANCELABLE', message, { taskId, state });
}

export const pushNotSupported: RpcError = a2aError(
  -32003,
  'PUSH_NOTIFICATION_NOT_SUPPORTED',
  'Push notification is not supported: follow a task on its stream',
  {},
);

export function unsupportedOperation(why: string, metadata: Metadata = {}): RpcError {
  return a2aError(-32004, 'UNSUPPORTED_OPERATION', `This operation is not supported: ${why}`, metadata);
}

export function contentTypeNotSupported(partIndex: number, kind: string, mediaType: unknown): RpcError {
  const message = `Incompatible content types, this one is not supported: message.parts[${partIndex}] is a ${kind} part; this agent reads text and data parts only`;
  return a2aError(-32005, 'CONTENT_TYPE_NOT_SUPPORTED', message, {
    partIndex: String(partIndex),
    ...(typeof mediaType === 'string' ? { mediaType } : {}),
  });
}

export function versionNotSupported(requestedVersion: string): RpcError {
  const message = `A2A version '${requestedVersion}' is not supported; this agent speaks 1.0 and 0.3`;
  return a2aError(-32009, 'VERSION_NOT_SUPPORTED', message, { requestedVersion, supportedVersions: '1.0, 0.3' });
}

/** What A2A 0.3 and the Murmur dialect answer where A2A 1.0 answers -32004. */
export const noExtendedCard: RpcError = { code: -32007, message: 'Authenticated Extended Card is not configured' };

export function a2aError(
  code: number,
  reason: string,
  message: string,
  metadata: Metadata,
  domain = 'a2a-protocol.org',
): RpcError {
  return {
    code,
    message,
    data: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain, metadata }],
  };
}

/** The error without what only A2A 1.0 sends. */
export function plain({ code, message }: RpcError): RpcError {
  return { code, message };
}

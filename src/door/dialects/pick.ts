import { isObject, isStrict, type RpcError, type RpcRequest, rpcErrors } from '../json-rpc.js';
import { versionNotSupported } from './errors.js';

/** `v1`: A2A 1.0. `v03`: A2A 0.2 and 0.3. `mur`: the Murmur dialect. */
export type DialectName = 'v1' | 'v03' | 'mur';

const v1Methods: ReadonlySet<string> = new Set([
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'GetExtendedAgentCard',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
]);

const v03Only = /^tasks\/(resubscribe$|pushNotificationConfig\/)/;
const murOnly: ReadonlySet<string> = new Set(['stream/watch', 'session/stop']);

export type Picked =
  | { readonly dialect: DialectName }
  /** Refused before any dialect looks at it. */
  | { readonly error: RpcError };

/** Who speaks (spec/door.md section 0): first match in the order of that table. `version` is the `A2A-Version` header. */
export function pickDialect(request: RpcRequest, version: string | undefined): Picked {
  if (v1Methods.has(request.method)) {
    if (!isServedVersion(version) && isStrict(request)) return { error: versionNotSupported(version ?? '') };
    return standard(request, 'v1');
  }
  if (murOnly.has(request.method)) return { dialect: 'mur' };
  if (isVersionOne(version)) return { error: rpcErrors.method };
  if (speaksV03(request, version)) return standard(request, 'v03');
  return { dialect: 'mur' };
}

/** True when the `A2A-Version` header says 1.x. */
export function isVersionOne(version: string | undefined): boolean {
  return version !== undefined && /^1\.\d+/.test(version.trim());
}

/** The A2A dialects hold the envelope to JSON-RPC 2.0; the Murmur dialect takes any version text and any id. */
function standard(request: RpcRequest, dialect: DialectName): Picked {
  return isStrict(request) ? { dialect } : { error: rpcErrors.request };
}

function isServedVersion(version: string | undefined): boolean {
  return version === undefined || version === '' || /^(0\.3|1\.0)(\.\d+)?$/.test(version);
}

function speaksV03({ method, params }: RpcRequest, version: string | undefined): boolean {
  if (v03Only.test(method) || /^0\.3(\.\d+)?$/.test(version ?? '')) return true;
  if (!isObject(params)) return false;
  const { configuration, message } = params;
  if (configuration !== undefined) return true;
  return isObject(message) && (message.kind !== undefined || continuesTask(message));
}

/** True for a message that leaves its own `kind` out, as A2A 0.2 clients may, but names a task and marks its parts: Murmur knows neither. */
function continuesTask({ taskId, parts }: Readonly<Record<string, unknown>>): boolean {
  if (typeof taskId !== 'string' || taskId === '' || !Array.isArray(parts)) return false;
  return parts.some((part) => isObject(part) && part.kind !== undefined);
}

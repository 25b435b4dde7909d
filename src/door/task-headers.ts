import type { IncomingHttpHeaders } from 'node:http';
import type { TaskOrigin, TaskTrust } from '../task/index.js';
import { isTraceparent } from '../trace/index.js';

/** Names Murmur's own streams, on the card and in a request that asks for them. */
export const streamExtension = 'https://docs.murmur.nexus/reference/streaming-protocol/#murmur-stream-v1';

/** What the request headers say about a task and its sender (spec/door.md sections 2 and 9). */
export interface TaskHeaders {
  readonly origin: TaskOrigin;
  readonly trust: TaskTrust;
  /** W3C trace context, well-formed: anything else there is ignored. */
  readonly traceparent?: string;
  /** `x-murmur-forget-session: true`. */
  readonly forgetSession: boolean;
  /** `x-murmur-delegation-id`, empty when absent. */
  readonly delegationId: string;
  /** `x-murmur-completion-session`, empty when absent. */
  readonly completionSession: string;
  /** A Murmur runtime sent this: it carries an `x-murmur-*` header. */
  readonly fromRuntime: boolean;
  /** `A2A-Extensions` lists Murmur's streams. */
  readonly wantsMurmurFrames: boolean;
}

/**
 * The wire may claim only `peer` and `completion`; any other caller is an `event`, untrusted.
 *
 * Does not stop: a program that claims `peer` and `trusted`. The claim is consent, not authentication.
 */
export function readTaskHeaders(headers: IncomingHttpHeaders): TaskHeaders {
  const claimed = text(headers['x-murmur-task-origin']);
  const origin = claimed === 'peer' || claimed === 'completion' ? claimed : 'event';
  const trusted = origin !== 'event' && text(headers['x-murmur-task-trust']) === 'trusted';
  const traceparent = text(headers.traceparent);
  return {
    origin,
    trust: trusted ? 'trusted' : 'untrusted',
    ...(isTraceparent(traceparent) ? { traceparent } : {}),
    forgetSession: text(headers['x-murmur-forget-session']) === 'true',
    delegationId: text(headers['x-murmur-delegation-id']),
    completionSession: text(headers['x-murmur-completion-session']),
    fromRuntime: Object.keys(headers).some((name) => name.startsWith('x-murmur-')),
    wantsMurmurFrames: text(headers['a2a-extensions'])
      .split(',')
      .some((uri) => uri.trim() === streamExtension),
  };
}

function text(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

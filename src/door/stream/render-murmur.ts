import type { TaskSnapshot } from '../../task/index.js';
import type { Renderer } from './renderer.js';
import { frame } from './sse.js';
import type { ArtifactEvent, LoggedEvent, StatusEvent, StreamEvent } from './types.js';

/** What the session said when a person had answered, and when nobody did in time (spec/door.md 15.3). */
export const resumedMessage = 'resumed';
const timeoutMessage = 'input-timeout';

/** Every type of frame the Murmur dialect writes, as the card lists them. */
export const murmurFrames = [
  'status',
  'artifact',
  'text',
  'thinking',
  'tool-call-started',
  'tool-call-progress',
  'gap',
  'lagged',
  'connection-ack',
  'capsule-closed',
  'error',
] as const;

/** Every client of this dialect gets the same text, so it is made once for each event that is still held. */
const texts = new WeakMap<LoggedEvent, string>();

/**
 * The Murmur dialect (spec/door.md 15.1 to 15.3): every event of every task, bare JSON, no envelope. A `watch` closes when the session
 * does; the stream of a send closes on the live end of the task it follows.
 */
export class MurmurRenderer implements Renderer {
  readonly #isWatch: boolean;
  #taskId: string | undefined;

  constructor(kind: 'watch' | 'send') {
    this.#isWatch = kind === 'watch';
  }

  /** The task of the send, once it is known. */
  follow(taskId: string): void {
    this.#taskId = taskId;
  }

  wants(): boolean {
    return true;
  }

  event(logged: LoggedEvent): string {
    return murmurFrame(logged);
  }

  lagged(missed: number): string {
    return frame({ event: 'lagged', data: { missed } });
  }

  gap(firstAvailableId: number): string {
    return frame({ event: 'gap', data: { first_available_id: firstAvailableId } });
  }

  isLast({ event }: LoggedEvent, isLive: boolean): boolean {
    return isLive && event.type === 'status' && event.final && event.taskId === this.#taskId;
  }

  ended(): string {
    return this.#isWatch ? frame({ event: 'capsule-closed', data: {} }) : '';
  }
}

/** The first frame of a `stream/watch`. */
export function acknowledgement(conversation: 'stateless' | 'threaded'): string {
  return frame({ event: 'connection-ack', data: { role: 'observer', conversation_mode: conversation } });
}

/** The only frame of a send that had no place: it belongs to no session-wide sequence, so it has no id. */
export function rejectedFrame(task: TaskSnapshot): string {
  const data = statusData({ type: 'status', taskId: task.taskId, task, message: task.message ?? '', final: true });
  return frame({ event: 'status', data });
}

/** The last frame of a send that was refused. */
export function errorFrame(message: string): string {
  return frame({ event: 'error', data: { error: message } });
}

function murmurFrame(logged: LoggedEvent): string {
  const known = texts.get(logged);
  if (known !== undefined) return known;
  const { id, event } = logged;
  const text = frame({ id, event: event.type, data: dataOf(event) });
  texts.set(logged, text);
  return text;
}

function dataOf(event: StreamEvent): Record<string, unknown> {
  switch (event.type) {
    case 'status':
      return statusData(event);
    case 'artifact':
      return { id: event.taskId, artifact: artifactData(event) };
    case 'tool-call-started':
      return { id: event.taskId, tool_call_id: event.callId, tool_name: event.toolName };
    case 'tool-call-progress':
      return { id: event.taskId, tool_call_id: event.callId, input_bytes: event.inputBytes };
    default:
      return { id: event.taskId, text: event.text, final: event.final };
  }
}

function statusData({ task, message, final }: StatusEvent): Record<string, unknown> {
  const isExchange =
    task.state === 'input-required' || message === resumedMessage || (final && message === timeoutMessage);
  return {
    id: task.taskId,
    ...(isExchange ? {} : { context_id: task.contextId }),
    status: { state: task.state, message, ...(task.response === undefined ? {} : { response: task.response }) },
    final,
  };
}

function artifactData(event: ArtifactEvent): Record<string, unknown> {
  return {
    tool_name: event.toolName,
    content: event.content,
    fence_source: event.fenceSource,
    tool_call_id: event.callId,
    is_error: event.isError,
    duration_ms: event.durationMs,
    exit_code: event.exitCode,
    truncated: event.truncated,
  };
}

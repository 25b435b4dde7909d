import { shownMessage } from '../../effects/conversation.js';
import { idTimeMs } from '../../supervise/ids.js';
import type { SessionNotice } from '../../supervise/notice.js';
import type { MessageFrame, TraceFrame } from '../frame.js';
import type { FrameBody } from '../item.js';
import { recordCaps, redact, type TextRedactor } from '../redact.js';
import type { JsonObject } from './lines.js';

/** What every body made here needs. */
export interface BodyContext {
  readonly sys: string;
  readonly redactText: TextRedactor;
}

export const asPast = (body: FrameBody): FrameBody => ({ ...body, past: true }) as FrameBody;

/** A trace line as a frame; `undefined` for a line that is none. */
export function traceBody({ sys, redactText }: BodyContext, line: JsonObject): FrameBody | undefined {
  const { event_type: eventType, event_id: eventId, timestamp } = line;
  if (typeof eventType !== 'string') return undefined;
  const { value, cut } = redact(line, redactText, recordCaps);
  return {
    ...{ type: 'trace', sys, at: typeof timestamp === 'number' ? timestamp : 0 },
    line: {
      ...(value as object),
      event_type: eventType,
      ...(typeof eventId === 'string' ? { event_id: eventId } : {}),
    } as TraceFrame['line'],
    ...(cut === 0 ? {} : { cut }),
  } as FrameBody;
}

/** A recorded message as a frame; `undefined` for a line that is none. */
export function messageBody(
  { sys, redactText }: BodyContext,
  contextId: string,
  taskId: string | undefined,
  recorded: JsonObject,
): FrameBody | undefined {
  const line = shownMessage(recorded);
  const { id, role, content } = line;
  if (typeof id !== 'string' || (role !== 'user' && role !== 'assistant' && role !== 'tool')) return undefined;
  const blocks = Array.isArray(content) ? content.map(withoutBytes) : [{ type: 'text', text: content }];
  const { value, cut } = redact({ ...line, content: blocks }, redactText, recordCaps);
  return {
    ...{ type: 'message', sys, at: idTimeMs(id) ?? 0, contextId: redactText(contextId) },
    ...(taskId === undefined ? {} : { taskId }),
    message: { ...(value as object), id, role } as MessageFrame['message'],
    ...(cut === 0 ? {} : { cut }),
  } as FrameBody;
}

export function noteBody({ sys, redactText }: BodyContext, note: SessionNotice, at: number): FrameBody {
  const { value, cut } = redact(note, redactText, recordCaps);
  return { type: 'note', sys, at, note: value as SessionNotice, ...(cut === 0 ? {} : { cut }) };
}

/** Images and the like are named, not sent. */
function withoutBytes(block: unknown): unknown {
  const source = (block as { readonly source?: unknown } | null)?.source;
  if (typeof source !== 'object' || source === null || !('data' in source)) return block;
  const { data, ...rest } = source as { readonly data?: unknown };
  const chars = typeof data === 'string' ? data.length : 0;
  return { ...(block as object), source: { ...rest, data: `(${Math.floor((chars * 3) / 4)} bytes, left out)` } };
}

import { type TraceEvents, type TraceEventType, traceEvents } from './events.js';
import { missingField } from './fields.js';

/** The five keys that lead every line, in this order. */
export interface LeadingKeys {
  readonly event_type: string;
  readonly event_id: string;
  readonly parent_id: string | null;
  readonly session_id: string;
  /** Unix milliseconds. */
  readonly timestamp: number;
}

/** One line of a known event, exactly as it is on disk. */
export type TraceLine<E extends TraceEventType = TraceEventType> = {
  [K in E]: LeadingKeys & { readonly event_type: K } & TraceEvents[K];
}[E];

/** One line as a reader meets it: any event, from any version. Only `event_type` is certain. */
export interface ReadLine extends Partial<Omit<LeadingKeys, 'event_type'>> {
  readonly event_type: string;
  readonly [key: string]: unknown;
}

/** The own keys of `event`, in documented order; `undefined` values are left out. */
export function orderedKeys<E extends TraceEventType>(event: E, fields: TraceEvents[E]): Record<string, unknown> {
  const values = fields as Readonly<Record<string, unknown>>;
  const ordered: Record<string, unknown> = {};
  for (const key of Object.keys(traceEvents[event].keys)) {
    if (values[key] !== undefined) ordered[key] = values[key];
  }
  return ordered;
}

/** True when `line` is that event and carries every key a reader may rely on. Extra keys are fine. */
export function isEvent<E extends TraceEventType>(event: E, line: ReadLine): line is ReadLine & TraceLine<E> {
  return line.event_type === event && missingField(traceEvents[event].keys, line) === undefined;
}

/**
 * The event log of a session, `events.jsonl`: the events that entered the mailbox of its root machine, in order. With the
 * machine they are the session: folding them gives every state it was in. Not the trace, which is for people and tools and
 * keeps the upstream format. The fold itself is not here yet.
 *
 * First line: `{format, version, session_id, chart}`. Then one line per event: `{q, at, from?, ev, h?}`. Commands of the session
 * may read this file, so no secret may be in an event; a `Secret` writes as `<redacted>`.
 */
import { MurError, reasonOf } from '../errors/index.js';
import type { AppendFile, HeldDirectory } from '../home/types.js';
import { readJsonLines } from '../text/index.js';
import { plainJson } from './plain.js';

export const EVENT_LOG_FILE = 'events.jsonl';

const format = 'mur-events';
const version = 1;

export interface EventLogHeader {
  readonly format: typeof format;
  readonly version: number;
  readonly session_id: string;
  /** Hash of the chart that will fold the log; another chart may read another history out of it. */
  readonly chart: string;
}

export interface LoggedEvent {
  /** Place in the log, from 0. */
  readonly q: number;
  /** Unix milliseconds, stamped where the event entered. */
  readonly at: number;
  /** Id of the actor that sent it; absent for an event from outside. */
  readonly from?: string;
  readonly ev: { readonly type: string; readonly [key: string]: unknown };
  /** Hash of the state after the event. */
  readonly h?: string;
}

export interface EventToLog {
  readonly at: number;
  readonly from?: string | undefined;
  readonly ev: { readonly type: string };
  readonly h?: string | undefined;
}

/** Appends to one session's log. A failed write throws `E-RUN-007`. */
export class EventLog {
  readonly #file: AppendFile;
  #next = 0;

  constructor(records: HeldDirectory, header: { readonly sessionId: string; readonly chart: string }) {
    this.#file = records.openAppend(EVENT_LOG_FILE, 0o600);
    const first: EventLogHeader = { format, version, session_id: header.sessionId, chart: header.chart };
    this.#write(first);
  }

  append({ at, from, ev, h }: EventToLog): void {
    this.#write({ q: this.#next, at, from, ev, h });
    this.#next += 1;
  }

  /** Resolves when every event so far is on the disk. */
  flush(): Promise<void> {
    return this.#file.flush();
  }

  /** Idempotent. Does not flush. */
  close(): void {
    this.#file.close();
  }

  #write(entry: object): void {
    try {
      this.#file.writeLine(plainJson(entry));
    } catch (error) {
      throw new MurError('E-RUN-007', `the event log could not be written: ${reasonOf(error)}`, { cause: error });
    }
  }
}

export type EventLogItem =
  | { readonly kind: 'header'; readonly header: EventLogHeader }
  | { readonly kind: 'event'; readonly event: LoggedEvent }
  | { readonly kind: 'warning'; readonly line: number; readonly reason: string };

/** Everything that can be read of a log, in order. A gap in the numbering, which ends what can be folded, is a warning. */
export function* readEventLog(path: string): Generator<EventLogItem> {
  let next = 0;
  for (const item of readJsonLines(path)) {
    if (item.kind === 'warning') yield item;
    else if (isHeader(item.value)) yield { kind: 'header', header: item.value };
    else if (isLogged(item.value)) {
      const event = item.value;
      if (event.q !== next) yield { kind: 'warning', line: item.line, reason: `event ${next} is missing` };
      next = event.q + 1;
      yield { kind: 'event', event };
    } else yield { kind: 'warning', line: item.line, reason: 'neither a header nor an event' };
  }
}

type Value = Readonly<Record<string, unknown>>;

function isHeader(value: Value): value is Value & EventLogHeader {
  return value.format === format && typeof value.session_id === 'string' && typeof value.chart === 'string';
}

function isLogged(value: Value): value is Value & LoggedEvent {
  const { q, at, ev } = value;
  return Number.isInteger(q) && typeof at === 'number' && typeof (ev as { type?: unknown } | null)?.type === 'string';
}

/**
 * The event log of a session, `events.jsonl`: the events that entered the mailbox of each of its machines, in order. With the
 * machines they are the session: folding them gives every state it was in. Not the trace, which is for people and tools and keeps
 * the upstream format. Not the fold (fold.ts).
 *
 * First line: the header. Then one line per event, numbered from 0, and every 64 events a keyframe: all machines as they stand, so
 * that any moment is near. What an event left behind is beside it (`s`, `c`, `h`, `r`), so that a replay can say where it differs,
 * and a person with nothing but a pager can follow.
 *
 * Commands of the session may read this file, so no secret may be in it: what the recorder knows to be one is written as
 * `[redacted]`, also before it is hashed.
 */
import { MurError, reasonOf } from '../errors/index.js';
import type { AppendFile, HeldDirectory } from '../home/types.js';
import { type JsonLine, readJsonLines } from '../text/index.js';
import { murVersion } from '../version.js';
import { plainJson, type Redact } from './plain.js';
import type { MachineState } from './types.js';

export const EVENT_LOG_FILE = 'events.jsonl';
/** Events from one keyframe to the next. */
export const keyframeEvery = 64;
/** Path of the root machine, which entries leave out. */
export const rootPath = 'session';

const format = 'mur-events';
const version = 1;

export interface EventLogHeader {
  readonly format: typeof format;
  readonly version: number;
  readonly session_id: string;
  /** Hash of all charts together; another chart may read another history out of the log. */
  readonly chart: string;
  /** Hash of each chart, by id. */
  readonly charts?: Readonly<Record<string, string>>;
  /** Version of mur that wrote it. */
  readonly mur?: string;
}

export interface LoggedEvent {
  /** Place in the log, from 0. */
  readonly q: number;
  /** Unix milliseconds, stamped where the event entered. */
  readonly at: number;
  /** Ids from the root down to the machine that got it: `session/task/turn`. Absent for the root. */
  readonly path?: string;
  /** The how manieth actor at that path, from 1; absent for the first. */
  readonly run?: number;
  /** Id of the machine's chart; only on `xstate.init`. */
  readonly chart?: string;
  /** Id of the actor that sent it; absent for an event from outside and for one the machine sent itself, as timers do. */
  readonly from?: string;
  readonly ev: { readonly type: string; readonly [key: string]: unknown };
  /** The state after it: `running.serving.working`. */
  readonly s?: string;
  /** Context it changed, by key. */
  readonly c?: Readonly<Record<string, unknown>>;
  /** Hash of the whole state after it. */
  readonly h?: string;
  /** What the machine asked for, and a hash of what it asked with. */
  readonly r?: string;
}

/** Every machine as it stands after event `k`. */
export interface Keyframe {
  readonly k: number;
  readonly at: number;
  readonly machines: readonly MachineState[];
}

/** A log entry before it has its number. */
export type EntryToLog = Omit<LoggedEvent, 'q'>;

/** Appends to one session's log. A failed write throws `E-RUN-007`. */
export class EventLog {
  readonly #file: AppendFile;
  readonly #redact: Redact | undefined;
  #next = 0;

  constructor(
    records: HeldDirectory,
    header: { readonly sessionId: string; readonly chart: string; readonly charts?: Readonly<Record<string, string>> },
    redact?: Redact,
  ) {
    this.#file = records.openAppend(EVENT_LOG_FILE, 0o600);
    this.#redact = redact;
    const { sessionId, chart, charts } = header;
    const first: EventLogHeader = {
      ...{ format, version, session_id: sessionId, chart },
      ...(charts === undefined ? {} : { charts }),
      mur: murVersion,
    };
    this.#write([plainJson(first)]);
  }

  /** Events written so far. */
  get length(): number {
    return this.#next;
  }

  /** Writes the entries, in one go, with the next numbers. */
  append(entries: readonly EntryToLog[]): void {
    const lines = entries.map((entry) => {
      this.#next += 1;
      return lineOf(this.#next - 1, entry, this.#redact);
    });
    this.#write(lines);
  }

  /** Writes every machine as it stands after the last event. */
  keyframe(at: number, machines: readonly MachineState[]): void {
    this.#write([`{"k":${this.#next - 1},"at":${at},"machines":${plainJson(machines, this.#redact)}}`]);
  }

  /** Resolves when every event so far is on the disk. */
  flush(): Promise<void> {
    return this.#file.flush();
  }

  /** Idempotent. Does not flush. */
  close(): void {
    this.#file.close();
  }

  #write(lines: readonly string[]): void {
    if (lines.length === 0) return;
    try {
      this.#file.writeLine(lines.join('\n'));
    } catch (error) {
      throw new MurError('E-RUN-007', `the event log could not be written: ${reasonOf(error)}`, { cause: error });
    }
  }
}

/** Only what comes from a session's data is redacted: a secret that happens to be a word of ours must not break the log. */
function lineOf(
  q: number,
  { at, path, run, chart, from, ev, s, c, h, r }: EntryToLog,
  redact: Redact | undefined,
): string {
  const parts = [
    JSON.stringify({ q, at, path, run, chart, from }).slice(1, -1),
    `"ev":${eventJson(ev, redact)}`,
    ...(s === undefined ? [] : [`"s":${JSON.stringify(s)}`]),
    ...(c === undefined ? [] : [`"c":${plainJson(c, redact)}`]),
    ...(h === undefined ? [] : [`"h":"${h}"`]),
    ...(r === undefined ? [] : [`"r":${JSON.stringify(r)}`]),
  ];
  return `{${parts.join(',')}}`;
}

/** An event may hold anything. What JSON cannot hold (a circle, a getter that throws) is left out, and the line says why. */
function eventJson(ev: { readonly type: string }, redact: Redact | undefined): string {
  try {
    return plainJson(ev, redact);
  } catch (error) {
    return plainJson({ type: ev.type, $unwritable: reasonOf(error) }, redact);
  }
}

export type EventLogItem =
  | { readonly kind: 'header'; readonly header: EventLogHeader }
  /** `text` is the line it stands in: a tenth of what the parsed value takes in memory. */
  | { readonly kind: 'event'; readonly event: LoggedEvent; readonly text: string }
  | { readonly kind: 'keyframe'; readonly frame: Keyframe; readonly text: string }
  | { readonly kind: 'warning'; readonly line: number; readonly reason: string };

/** Everything that can be read of a log, in order. A gap in the numbering, which ends what can be folded, is a warning. */
export function* readEventLog(path: string): Generator<EventLogItem> {
  yield* eventLogItems(readJsonLines(path));
}

/** The same for lines that come from elsewhere, such as a bundle. */
export function* eventLogItems(lines: Iterable<JsonLine>): Generator<EventLogItem> {
  let next = 0;
  for (const line of lines) {
    const item = line.kind === 'warning' ? line : itemOf(line);
    if (item.kind === 'event') {
      const { q } = item.event;
      if (q !== next) yield { kind: 'warning', line: line.line, reason: `event ${next} is missing` };
      next = q + 1;
    }
    yield item;
  }
}

/** What one line of a log is. */
export function itemOf({ line, value, text }: JsonLine & { readonly kind: 'value' }): EventLogItem {
  if (isHeader(value)) return { kind: 'header', header: value };
  if (isLogged(value)) return { kind: 'event', event: value, text };
  if (isKeyframe(value)) return { kind: 'keyframe', frame: value, text };
  return { kind: 'warning', line, reason: 'neither a header, an event nor a keyframe' };
}

type Value = Readonly<Record<string, unknown>>;

function isHeader(value: Value): value is Value & EventLogHeader {
  return value.format === format && typeof value.session_id === 'string' && typeof value.chart === 'string';
}

function isLogged(value: Value): value is Value & LoggedEvent {
  const { q, at, ev } = value;
  return Number.isInteger(q) && typeof at === 'number' && typeof (ev as { type?: unknown } | null)?.type === 'string';
}

function isKeyframe(value: Value): value is Value & Keyframe {
  return Number.isInteger(value.k) && typeof value.at === 'number' && Array.isArray(value.machines);
}

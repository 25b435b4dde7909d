import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyStateMachine } from 'xstate';
import { sessionMachine } from '../../machines/session/machine.js';
import { MurError } from '../errors/index.js';
import { changedCharts, chartsChanged } from './changed.js';
import { Fold, type InertCharts, inertCharts, stepBy } from './fold.js';
import {
  EVENT_LOG_FILE,
  type EventLogHeader,
  type EventLogItem,
  type Keyframe,
  keyframeEvery,
  type LoggedEvent,
  readEventLog,
  rootPath,
} from './log.js';
import { machineList } from './machine-list.js';
import { chartHashes, machinesOf } from './machines.js';
import { plainJson } from './plain.js';
import type { Replay, ReplayMachine, ReplayState, ReplayStep, Verification } from './types.js';
import { verifyLog } from './verify.js';

export interface ReplayOptions {
  /** Replay although charts have changed since; what comes out may never have happened. */
  readonly force?: boolean;
  /** The root machine. Default: the session machine of this build. */
  readonly machine?: AnyStateMachine;
}

/**
 * The session whose event log is at `path`, a records directory or the file itself. Reads the log once; a session that still runs
 * is replayed as far as it was then. Runs no effect.
 *
 * Throws `E-IO-001` without a log, `E-TRC-001` for a file that is none, and `E-TRC-902` when a chart that ran has changed since.
 */
export function openReplay(path: string, options: ReplayOptions = {}): Replay {
  return replayOf(readEventLog(logFile(path)), options, path);
}

/** The same for a log that was read already. `name` is what messages call it. */
export function replayOf(items: Iterable<EventLogItem>, options: ReplayOptions = {}, name = 'the event log'): Replay {
  return new FoldedReplay(loadLog(items, name), options, name);
}

function logFile(path: string): string {
  try {
    const file = statSync(path).isDirectory() ? join(path, EVENT_LOG_FILE) : path;
    if (statSync(file).isFile()) return file;
  } catch {
    // Said below.
  }
  throw new MurError('E-IO-001', `there is no event log at ${path}`, {
    hint: `a session that got as far as its folders has ${EVENT_LOG_FILE} in its records directory`,
  });
}

/**
 * A log in memory, as the text it is: a parsed log of 100,000 events is a million objects, and a collector that has to walk them
 * stops a seek for longer than the seek takes.
 */
interface Log {
  readonly header: EventLogHeader;
  readonly events: readonly string[];
  /** By the event they follow. */
  readonly keyframes: ReadonlyMap<number, string>;
  /** Ids of the charts that ran. */
  readonly ran: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

/** What can be folded: everything up to the first event that is missing. */
function loadLog(items: Iterable<EventLogItem>, name: string): Log {
  let header: EventLogHeader | undefined;
  const events: string[] = [];
  const keyframes = new Map<number, string>();
  const ran = new Set<string>();
  const warnings: string[] = [];
  for (const item of items) {
    if (item.kind === 'header') header ??= item.header;
    else if (item.kind === 'warning') warnings.push(`line ${item.line}: ${item.reason}`);
    else if (item.kind === 'event' && item.event.q === events.length) {
      events.push(item.text);
      if (item.event.ev.type === 'xstate.init') ran.add(item.event.chart ?? rootPath);
    } else if (item.kind === 'keyframe' && item.frame.k === events.length - 1) keyframes.set(item.frame.k, item.text);
  }
  if (header === undefined) {
    throw new MurError('E-TRC-001', `${name} is not an event log: it does not begin with the header of one`);
  }
  return { header, events, keyframes, ran, warnings };
}

/** Folds kept as they are, because a seek is often followed by one beside it. */
const keptFolds = 8;

class FoldedReplay implements Replay {
  readonly header: EventLogHeader;
  readonly warnings: readonly string[];
  readonly changedCharts: readonly string[];
  readonly #events: readonly string[];
  /** Keyframes of the log, and those made where it has none near. */
  readonly #keyframes: Map<number, string>;
  readonly #recorded: ReadonlyMap<number, string>;
  readonly #charts: InertCharts;
  /** The newest folds, by event, the oldest first. */
  readonly #folds = new Map<number, Fold>();
  #machines: readonly ReplayMachine[] | undefined;

  constructor({ header, events, keyframes, ran, warnings }: Log, options: ReplayOptions, name: string) {
    const machines = machinesOf(options.machine ?? sessionMachine);
    this.header = header;
    this.warnings = warnings;
    this.#events = events;
    this.#recorded = keyframes;
    this.#charts = inertCharts(machines);
    this.changedCharts = changedCharts(header, ran, chartHashes(machines));
    // Keyframes of other charts are not believed: they say what was, and a forced replay asks what would be.
    this.#keyframes = new Map(this.changedCharts.length > 0 ? [] : keyframes);
    if (this.changedCharts.length > 0 && options.force !== true) throw chartsChanged(this.changedCharts, header, name);
  }

  get length(): number {
    return this.#events.length;
  }

  machines(): readonly ReplayMachine[] {
    this.#machines ??= machineList(this.#eventsFrom(0), this.stateAt(this.length - 1));
    return this.#machines;
  }

  stateAt(q: number): ReplayState {
    const at = clamp(q, -1, this.length - 1);
    return { q: at, at: this.#event(Math.max(0, at))?.at ?? 0, machines: this.#foldAt(at).machines() };
  }

  events(from = 0, to = this.length - 1): readonly LoggedEvent[] {
    return [...this.#eventsFrom(Math.max(0, from), to)];
  }

  *steps(from = 0, to = this.length - 1): Generator<ReplayStep> {
    const first = clamp(from, 0, this.length);
    const fold = this.#foldAt(first - 1).fork();
    for (const event of this.#eventsFrom(first, to)) {
      const step = stepBy(fold, event);
      if (step !== undefined) yield step;
    }
  }

  verify(): Verification {
    const frameAt = (q: number): Keyframe | undefined => parsed(this.#recorded.get(q));
    return verifyLog(this.#charts, this.#eventsFrom(0), frameAt);
  }

  #event(q: number): LoggedEvent | undefined {
    return parsed(this.#events[q]);
  }

  *#eventsFrom(from: number, to = this.length - 1): Generator<LoggedEvent> {
    for (let q = from; q <= Math.min(to, this.length - 1); q += 1) yield this.#event(q)!;
  }

  #foldAt(q: number): Fold {
    const [start, point] = this.#pointBefore(q);
    if (start === q) return point;
    const fold = point.fork();
    for (let next = start + 1; next <= q; next += 1) {
      const event = this.#event(next)!;
      fold.apply(event);
      if ((next - start) % keyframeEvery === 0 && !this.#keyframes.has(next)) this.#mark(next, event.at, fold);
    }
    this.#keep(q, fold);
    return fold;
  }

  #pointBefore(q: number): [number, Fold] {
    for (let at = q; at >= 0; at -= 1) {
      const point = this.#folds.get(at) ?? this.#restored(at);
      if (point !== undefined) return [at, point];
    }
    return [-1, Fold.empty(this.#charts)];
  }

  #restored(at: number): Fold | undefined {
    const frame = this.#keyframes.get(at);
    if (frame === undefined) return undefined;
    try {
      return Fold.restore(this.#charts, parsed<Keyframe>(frame)!);
    } catch {
      this.#keyframes.delete(at);
      return undefined;
    }
  }

  #mark(k: number, at: number, fold: Fold): void {
    const frame: Keyframe = { k, at, machines: fold.machines() };
    this.#keyframes.set(k, plainJson(frame));
  }

  #keep(q: number, fold: Fold): void {
    this.#folds.delete(q);
    this.#folds.set(q, fold);
    const [oldest] = this.#folds.keys();
    if (this.#folds.size > keptFolds && oldest !== undefined) this.#folds.delete(oldest);
  }
}

function parsed<T>(text: string | undefined): T | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, Math.trunc(value)));
}

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyStateMachine } from 'xstate';
import { sessionMachine } from '../../machines/session/machine.js';
import { MurError } from '../errors/index.js';
import { Fold, type InertCharts, inertCharts } from './fold.js';
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
import { chartHashes, machinesOf } from './machines.js';
import { stateOf } from './step.js';
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

interface Log {
  readonly header: EventLogHeader;
  readonly events: readonly LoggedEvent[];
  readonly keyframes: ReadonlyMap<number, Keyframe>;
  readonly warnings: readonly string[];
}

/** What can be folded: everything up to the first event that is missing. */
function loadLog(items: Iterable<EventLogItem>, name: string): Log {
  let header: EventLogHeader | undefined;
  const events: LoggedEvent[] = [];
  const keyframes = new Map<number, Keyframe>();
  const warnings: string[] = [];
  for (const item of items) {
    if (item.kind === 'header') header ??= item.header;
    else if (item.kind === 'warning') warnings.push(`line ${item.line}: ${item.reason}`);
    else if (item.kind === 'event' && item.event.q === events.length) events.push(item.event);
    else if (item.kind === 'keyframe' && item.frame.k === events.length - 1) keyframes.set(item.frame.k, item.frame);
  }
  if (header === undefined) {
    throw new MurError('E-TRC-001', `${name} is not an event log: it does not begin with the header of one`);
  }
  return { header, events, keyframes, warnings };
}

class FoldedReplay implements Replay {
  readonly header: EventLogHeader;
  readonly warnings: readonly string[];
  readonly changedCharts: readonly string[];
  readonly #events: readonly LoggedEvent[];
  readonly #keyframes: ReadonlyMap<number, Keyframe>;
  readonly #charts: InertCharts;
  /** Folds after some events, by event: a seek starts at the one before it. */
  readonly #points = new Map<number, Fold>();
  #machines: readonly ReplayMachine[] | undefined;

  constructor({ header, events, keyframes, warnings }: Log, options: ReplayOptions, name: string) {
    const machines = machinesOf(options.machine ?? sessionMachine);
    this.header = header;
    this.warnings = warnings;
    this.#events = events;
    this.#keyframes = keyframes;
    this.#charts = inertCharts(machines);
    this.changedCharts = changedCharts(header, events, machines);
    if (this.changedCharts.length > 0 && options.force !== true) {
      const which = this.changedCharts.map((id) => `'${id}'`).join(', ');
      const plural = this.changedCharts.length > 1;
      throw new MurError(
        'E-TRC-902',
        `${name} was recorded with ${plural ? 'other charts' : 'another chart'} ${which} than this build has, by mur ${header.mur ?? 'of an unknown version'}`,
      );
    }
  }

  get length(): number {
    return this.#events.length;
  }

  machines(): readonly ReplayMachine[] {
    this.#machines ??= machineList(this.#events, this.stateAt(this.length - 1));
    return this.#machines;
  }

  stateAt(q: number): ReplayState {
    const at = clamp(q, -1, this.length - 1);
    return { q: at, at: this.#events[Math.max(0, at)]?.at ?? 0, machines: this.#foldAt(at).machines() };
  }

  events(from = 0, to = this.length - 1): readonly LoggedEvent[] {
    return this.#events.slice(Math.max(0, from), to + 1);
  }

  *steps(from = 0, to = this.length - 1): Generator<ReplayStep> {
    const first = clamp(from, 0, this.length);
    const fold = this.#foldAt(first - 1).fork();
    for (const event of this.events(first, to)) {
      const { applied, taken } = fold.watch(event);
      if (applied === undefined) continue;
      const { before, after, requests } = applied;
      yield {
        ...{ event, requests, taken, machine: stateOf(applied, after) },
        before: before === undefined ? undefined : stateOf(applied, before),
      };
    }
  }

  verify(): Verification {
    return verifyLog(this.#charts, this.#events, this.#keyframes);
  }

  #foldAt(q: number): Fold {
    const [start, point] = this.#pointBefore(q);
    if (start === q) return point;
    const fold = point.fork();
    for (let next = start + 1; next <= q; next += 1) {
      fold.apply(this.#events[next]!);
      if ((next + 1) % keyframeEvery === 0) this.#points.set(next, fold.fork());
    }
    return fold;
  }

  #pointBefore(q: number): [number, Fold] {
    for (let at = q; at >= 0; at -= 1) {
      const point = this.#points.get(at) ?? this.#restored(at);
      if (point !== undefined) return [at, point];
    }
    return [-1, Fold.empty(this.#charts)];
  }

  /** Keyframes of other charts are not believed: they say what was, and a forced replay asks what would be. */
  #restored(at: number): Fold | undefined {
    const frame = this.#keyframes.get(at);
    if (frame === undefined || this.changedCharts.length > 0) return undefined;
    try {
      const fold = Fold.restore(this.#charts, frame);
      this.#points.set(at, fold);
      return fold;
    } catch {
      return undefined;
    }
  }
}

/** Only charts that ran matter. */
function changedCharts(
  header: EventLogHeader,
  events: readonly LoggedEvent[],
  machines: ReadonlyMap<string, AnyStateMachine>,
): string[] {
  const now = chartHashes(machines);
  if (header.chart === now.chart) return [];
  const ran = new Set(events.filter(({ ev }) => ev.type === 'xstate.init').map(({ chart = rootPath }) => chart));
  return [...ran].filter((id) => header.charts?.[id] === undefined || header.charts[id] !== now.charts[id]);
}

/** Every `xstate.init` is a machine. It ended with its last event when it was stopped, when its parent heard that it is done, or now. */
function machineList(events: readonly LoggedEvent[], end: ReplayState): ReplayMachine[] {
  const list: (ReplayMachine & { lastEvent: number; endedBy: number | undefined })[] = [];
  const latest = new Map<string, (typeof list)[number]>();
  for (const { q, path = rootPath, run = 1, chart = rootPath, ev } of events) {
    const key = `${path}#${run}`;
    if (ev.type === 'xstate.init') {
      const machine = { path, run, chart, input: ev.input, startedBy: q, endedBy: undefined, lastEvent: q };
      list.push(machine);
      latest.set(key, machine).set(path, machine);
    }
    const machine = latest.get(key);
    if (machine !== undefined) machine.lastEvent = q;
    if (machine !== undefined && ev.type === 'xstate.stop') machine.endedBy = q;
    const ended = /^xstate\.(?:done|error)\.actor\.(.+)$/.exec(ev.type)?.[1];
    const child = ended === undefined ? undefined : latest.get(`${path}/${ended}`);
    if (child !== undefined) child.endedBy ??= child.lastEvent;
  }
  for (const { path, run, status } of end.machines) {
    const machine = latest.get(`${path}#${run}`);
    if (machine !== undefined && status !== 'active') machine.endedBy ??= machine.lastEvent;
  }
  return list.map(({ lastEvent: _, ...machine }) => machine);
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, Math.trunc(value)));
}

/** What a replay tells. Types only. */
import type { StateValue } from 'xstate';
import type { EventLogHeader, LoggedEvent } from './log.js';

/** One run of one machine: an actor of the session's system that has a chart. */
export interface ReplayMachine {
  /** Ids from the root down: `session/task/turn`. */
  readonly path: string;
  /** The how manieth actor at this path, from 1: a task has many turns, one after another. */
  readonly run: number;
  /** Id of its chart: `turn`. */
  readonly chart: string;
  /** What it was started with. */
  readonly input: unknown;
  /** `q` of the event that started it. */
  readonly startedBy: number;
  /** `q` of the event it ended with; `undefined` while it runs, or when the log stops before. */
  readonly endedBy: number | undefined;
}

/** Where one machine stands. Plain JSON. */
export interface MachineState {
  readonly path: string;
  readonly run: number;
  readonly chart: string;
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly value: StateValue;
  readonly context: Readonly<Record<string, unknown>>;
  readonly output?: unknown;
  /** As the log has errors: `{$error, code, message}`. */
  readonly error?: unknown;
  /** Ids of the actors it runs right now, machines and effects alike. */
  readonly children: readonly string[];
  /** What its history states remember, as ids of states; absent when there is nothing to remember. */
  readonly history?: Readonly<Record<string, readonly string[]>>;
}

/** The whole session after one event. */
export interface ReplayState {
  /** The event; -1 before the first. */
  readonly q: number;
  /** Unix milliseconds of that event. */
  readonly at: number;
  /**
   * The machines that exist, parents before their children. One that ended stays until its parent has taken note of it, so
   * that its last state can be seen.
   */
  readonly machines: readonly MachineState[];
}

/** Something a machine asked for while it handled an event. */
export interface Request {
  /** `start prepare`, `stop prepare`, `send task task.cancel.requested`, or the name of an action. */
  readonly text: string;
  /** What it was asked with, as plain JSON. */
  readonly params: unknown;
}

/** One event and what its machine made of it. */
export interface ReplayStep {
  readonly event: LoggedEvent;
  /** The machine after the event. */
  readonly machine: MachineState;
  /** The same machine before it; `undefined` when the event started it. */
  readonly before: MachineState | undefined;
  readonly requests: readonly Request[];
  /** Ids of the transitions taken, in order, as `edgeId` of src/diagram makes them. */
  readonly taken: readonly string[];
}

/** Where a replay and its log part. */
export interface Divergence {
  /** The event; for a keyframe the event it follows. */
  readonly q: number;
  readonly path: string;
  readonly run: number;
  readonly chart: string;
  /** Type of the event. */
  readonly event: string;
  /** `state`: another state, context or output. `requests`: the same state, but other effects. `keyframe`: a stored state is wrong. */
  readonly kind: 'state' | 'requests' | 'keyframe';
  /** What differs: `state`, `context.turn`, `output`, `requests`. */
  readonly what: string;
  /** What the log has. */
  readonly expected: string;
  /** What the machine does today. */
  readonly actual: string;
}

export interface Verification {
  /** Events compared with a recorded state. */
  readonly checked: number;
  /** Events without one: their machine broke on them, or the process ended in the middle. */
  readonly unchecked: number;
  /** Keyframes compared. */
  readonly keyframes: number;
  /** The first one; `undefined` when there is none. */
  readonly divergence: Divergence | undefined;
}

/** A recorded session, at any moment of it. */
export interface Replay {
  readonly header: EventLogHeader;
  /** Events that can be replayed. */
  readonly length: number;
  /** Places of the log that could not be read, in words. */
  readonly warnings: readonly string[];
  /** Ids of the charts that are not the recorded ones any more; empty unless the replay was forced. */
  readonly changedCharts: readonly string[];
  /** Every machine that ran, in order of start. */
  machines(): readonly ReplayMachine[];
  /** The session after event `q`; clamped to the log. */
  stateAt(q: number): ReplayState;
  /** Events `from` to `to`, both included. */
  events(from?: number, to?: number): readonly LoggedEvent[];
  /** What each of these events did. */
  steps(from?: number, to?: number): Generator<ReplayStep>;
  /** Folds everything and compares it with what was recorded. */
  verify(): Verification;
}

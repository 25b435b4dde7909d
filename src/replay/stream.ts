import type { AnyStateMachine } from 'xstate';
import { sessionMachine } from '../../machines/session/machine.js';
import { changedCharts, chartsChanged } from './changed.js';
import { Fold, type InertCharts, inertCharts, stepBy } from './fold.js';
import { type EventLogHeader, itemOf, type Keyframe, type LoggedEvent } from './log.js';
import { type ChartHashes, chartHashes, machinesOf } from './machines.js';
import type { MachineState, ReplayStep } from './types.js';

/** What a line of a log amounts to. */
export type Streamed =
  | { readonly kind: 'step'; readonly step: ReplayStep }
  /** The log was taken up in its middle: the machines as they stood after event `q`. Comes at most once, and first. */
  | { readonly kind: 'joined'; readonly q: number; readonly at: number; readonly machines: readonly MachineState[] };

/**
 * Folds a log line by line, also one that still grows, and keeps nothing but the machines that run: memory does not depend on how
 * long the log is. A log whose beginning was left out is taken up at its first keyframe. Not for going back (replay.ts).
 */
export class LogStream {
  readonly #charts: InertCharts;
  readonly #today: ChartHashes;
  #hasBegun = false;
  #fold: Fold | undefined;
  #next = 0;

  constructor(machine: AnyStateMachine = sessionMachine) {
    const machines = machinesOf(machine);
    this.#charts = inertCharts(machines);
    this.#today = chartHashes(machines);
  }

  /**
   * Of a line that is none of a log, or comes after a gap, nothing. Throws `E-TRC-902` at the header when any chart has changed since:
   * which ones ran is known only at the end, and half a session looks like one that stopped there.
   */
  take(value: Readonly<Record<string, unknown>>): Streamed | undefined {
    const item = itemOf({ kind: 'value', line: 0, value, text: '' });
    if (item.kind === 'header') this.#begin(item.header);
    if (!this.#hasBegun) return undefined;
    if (item.kind === 'event') return this.#event(item.event);
    return item.kind === 'keyframe' && this.#fold === undefined ? this.#join(item.frame) : undefined;
  }

  #event(event: LoggedEvent): Streamed | undefined {
    if (this.#fold === undefined && event.q === 0) this.#fold = Fold.empty(this.#charts);
    if (this.#fold === undefined || event.q !== this.#next) return undefined;
    this.#next += 1;
    const step = stepBy(this.#fold, event);
    return step === undefined ? undefined : { kind: 'step', step };
  }

  #join({ k: q, at, machines }: Keyframe): Streamed {
    this.#fold = Fold.restore(this.#charts, { k: q, at, machines });
    this.#next = q + 1;
    return { kind: 'joined', q, at, machines: this.#fold.machines() };
  }

  #begin(header: EventLogHeader): void {
    const changed = changedCharts(header, Object.keys(this.#today.charts), this.#today);
    if (changed.length > 0) throw chartsChanged(changed, header, 'the event log');
    this.#hasBegun = true;
  }
}

import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { InertMachine, type Step } from './inert.js';
import { type Keyframe, type LoggedEvent, rootPath } from './log.js';
import { stateOf } from './step.js';
import type { MachineState, ReplayStep, Request } from './types.js';

/** One machine as the fold has it. Never changed, only replaced. */
interface Running {
  readonly path: string;
  readonly run: number;
  readonly chart: string;
  readonly logic: InertMachine;
  readonly snapshot: AnyMachineSnapshot;
}

/** What an event did. */
export interface Applied {
  readonly path: string;
  readonly run: number;
  readonly chart: string;
  readonly before: AnyMachineSnapshot | undefined;
  readonly after: AnyMachineSnapshot;
  readonly requests: readonly Request[];
}

/** The charts of a session, ready to be stepped through. */
export type InertCharts = ReadonlyMap<string, InertMachine>;

export function inertCharts(machines: ReadonlyMap<string, AnyStateMachine>): InertCharts {
  return new Map([...machines].map(([id, machine]) => [id, new InertMachine(machine)]));
}

/**
 * All machines of a session after some of its events. Each machine is folded over its own mailbox and nothing else, so no machine can
 * lead another astray; together they are the tree that was running.
 */
export class Fold {
  readonly #charts: InertCharts;
  readonly #running: Map<string, Running>;
  /** The newest run at each path. */
  readonly #latest: Map<string, Running>;

  private constructor(charts: InertCharts, running: Map<string, Running>, latest: Map<string, Running>) {
    this.#charts = charts;
    this.#running = running;
    this.#latest = latest;
  }

  static empty(charts: InertCharts): Fold {
    return new Fold(charts, new Map(), new Map());
  }

  /** Throws when a chart has no such state. */
  static restore(charts: InertCharts, { machines }: Keyframe): Fold {
    const fold = Fold.empty(charts);
    for (const state of machines) {
      const logic = charts.get(state.chart);
      if (logic === undefined) throw new Error(`there is no chart '${state.chart}'`);
      fold.#put({ path: state.path, run: state.run, chart: state.chart, logic, snapshot: logic.restore(state) });
    }
    return fold;
  }

  /** A fold of its own with the same past. */
  fork(): Fold {
    return new Fold(this.#charts, new Map(this.#running), new Map(this.#latest));
  }

  /** `undefined` when no machine takes the event: it ended before, or its chart is not known. */
  apply(event: LoggedEvent): Applied | undefined {
    const { path = rootPath, run = 1, ev } = event;
    if (ev.type === 'xstate.init') return this.#start(path, run, event);
    const machine = this.#running.get(keyOf(path, run));
    if (machine === undefined || machine.snapshot.status !== 'active') return undefined;
    const { snapshot: before, logic } = machine;
    const { snapshot: after, requests } = stepOf(before, () => logic.next(before, ev));
    this.#put({ ...machine, snapshot: after });
    this.#forget(path, before, after);
    return { path, run, chart: machine.chart, before, after, requests };
  }

  /** What `apply` does, and the transitions it took. */
  watch(event: LoggedEvent): { readonly applied: Applied | undefined; readonly taken: readonly string[] } {
    const { path = rootPath, run = 1, ev } = event;
    const chart = ev.type === 'xstate.init' ? chartOf(event) : this.#running.get(keyOf(path, run))?.chart;
    const logic = chart === undefined ? undefined : this.#charts.get(chart);
    if (logic === undefined) return { applied: this.apply(event), taken: [] };
    const { result, taken } = logic.watching(() => this.apply(event));
    return { applied: result, taken };
  }

  /** The tree, parents before their children. */
  machines(): MachineState[] {
    const states: MachineState[] = [];
    const visit = (machine: Running): void => {
      const state = stateOf(machine, machine.snapshot);
      states.push(state);
      for (const id of state.children) {
        const child = this.#latest.get(`${machine.path}/${id}`);
        if (child !== undefined) visit(child);
      }
    };
    const root = this.#latest.get(rootPath);
    if (root !== undefined) visit(root);
    return states;
  }

  #start(path: string, run: number, event: LoggedEvent): Applied | undefined {
    const chart = chartOf(event);
    const logic = chart === undefined ? undefined : this.#charts.get(chart);
    if (chart === undefined || logic === undefined) return undefined;
    const { snapshot, requests } = logic.start(event.ev.input);
    this.#put({ path, run, chart, logic, snapshot });
    return { path, run, chart, before: undefined, after: snapshot, requests };
  }

  #put(machine: Running): void {
    const { path, run } = machine;
    const latest = this.#latest.get(path);
    if (latest === undefined || latest.run <= run) this.#latest.set(path, machine);
    if (latest !== undefined && latest.run < run && latest.snapshot.status !== 'active') {
      this.#running.delete(keyOf(path, latest.run));
    }
    this.#running.set(keyOf(path, run), machine);
  }

  /** Drops what has ended and can not be reached any more, so that a long session is not carried along. */
  #forget(path: string, before: AnyMachineSnapshot, after: AnyMachineSnapshot): void {
    if (before.children === after.children) return;
    for (const id of Object.keys(before.children)) {
      if (before.children[id] !== after.children[id]) this.#drop(`${path}/${id}`);
    }
  }

  #drop(path: string): void {
    for (const [key, machine] of this.#running) {
      const isBelow = machine.path === path || machine.path.startsWith(`${path}/`);
      if (!isBelow || machine.snapshot.status === 'active') continue;
      this.#running.delete(key);
      if (this.#latest.get(machine.path)?.run === machine.run) this.#latest.delete(machine.path);
    }
  }
}

/** Applies the event and tells what it did; `undefined` when no machine takes it. */
export function stepBy(fold: Fold, event: LoggedEvent): ReplayStep | undefined {
  const { applied, taken } = fold.watch(event);
  if (applied === undefined) return undefined;
  const { before, after, requests } = applied;
  return {
    ...{ event, requests, taken, machine: stateOf(applied, after) },
    before: before === undefined ? undefined : stateOf(applied, before),
  };
}

function keyOf(path: string, run: number): string {
  return `${path}#${run}`;
}

function chartOf({ path = rootPath, chart }: LoggedEvent): string | undefined {
  return chart ?? path.split('/').at(-1);
}

/** A machine that throws ends in `error`, as its actor does. */
function stepOf(before: AnyMachineSnapshot, step: () => Step): Step {
  try {
    return step();
  } catch (error) {
    return { snapshot: { ...before, status: 'error', error } as AnyMachineSnapshot, requests: [] };
  }
}

/**
 * The ids by which a watcher knows actors: paths such as `session/task:tsk_1/turn:0/infer`. The same for a live actor and for the
 * machine that a replay folds, because they come from where an actor hangs and from its context, never from counters of a process.
 */
import type { AnyActorRef } from 'xstate';
import { type ChartEntry, charts } from '../../machines/index.js';

const entries: Readonly<Record<string, ChartEntry>> = charts;

/** What is known of the chart with that id; `undefined` for charts of somebody else. */
export function chartEntry(id: string): ChartEntry | undefined {
  return Object.hasOwn(entries, id) ? entries[id] : undefined;
}

/** What an actor is called under its parent. */
export interface Segment {
  /** Its id there; the name of its chart for one that was spawned, whose id there tells it from its siblings. */
  readonly name: string;
  /** The name, and its instance when its chart has one: one part of a path. */
  readonly segment: string;
}

/** `chart` is the id of its chart; absent for an effect. */
export function segmentOf(id: string, chart: string | undefined, context: unknown): Segment {
  const instance = chart === undefined ? undefined : instanceOf(chartEntry(chart), context);
  if (chart === undefined || instance === undefined) return { name: id, segment: id };
  const name = id === instance ? chart : id;
  return { name, segment: `${name}:${instance}` };
}

function instanceOf(entry: ChartEntry | undefined, context: unknown): string | undefined {
  if (entry?.instance === undefined || typeof context !== 'object' || context === null) return undefined;
  const instance = (context as Readonly<Record<string, unknown>>)[entry.instance];
  return typeof instance === 'string' || typeof instance === 'number' ? String(instance) : undefined;
}

/** What an actor is to a watcher. */
export interface Identity {
  readonly id: string;
  readonly name: string;
  /** Absent for a root. */
  readonly parent: string | undefined;
  /** Id of its chart; absent for an effect. */
  readonly chart: string | undefined;
}

interface Located {
  readonly _parent?: AnyActorRef;
  readonly logic?: { readonly id?: unknown; readonly root?: unknown };
  readonly id: string;
}

/** Remembers who is who. Holds no actor alive. */
export class Identities {
  readonly #known = new WeakMap<AnyActorRef, Identity>();

  /** The identity of an actor that has been started. */
  of(ref: AnyActorRef): Identity {
    let identity = this.#known.get(ref);
    if (identity === undefined) {
      identity = this.#read(ref);
      this.#known.set(ref, identity);
    }
    return identity;
  }

  #read(ref: AnyActorRef): Identity {
    const { _parent: parent, logic, id: ownId } = ref as unknown as Located;
    const isChart = logic?.root !== undefined && typeof logic.id === 'string';
    const chart = isChart ? (logic.id as string) : undefined;
    const context: unknown = isChart ? (ref.getSnapshot() as { context?: unknown }).context : undefined;
    const { name, segment } = segmentOf(parent === undefined ? (chart ?? ownId) : ownId, chart, context);
    const above = parent === undefined ? undefined : this.of(parent).id;
    return { id: above === undefined ? segment : `${above}/${segment}`, name, parent: above, chart };
  }
}

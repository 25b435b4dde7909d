/** A session as it stood at one place of its history: which actors there were, in which states, and the way that led there. */
import type { ActorFrame, DefFrame, GoneFrame, SnapshotView } from '../../frame.js';
import { type Cursor, type Entry, indexAt, type SessionModel } from './model.js';

export interface ActorNow {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
  readonly def: string | null;
  readonly snap: SnapshotView;
  /** Type of the event that led here; empty for the first state. */
  readonly by: string;
  /** Edges taken with that event. */
  readonly hot: readonly string[];
  readonly bornAt: number;
  readonly changedAt: number;
  readonly gone: GoneFrame['why'] | null;
  readonly goneAt: number | null;
}

/** How often the edges of a chart were taken and its innermost states entered, by all actors that run it. */
export interface Trail {
  readonly edges: Map<string, number>;
  readonly states: Map<string, number>;
}

export interface Moment {
  /** Number of entries it covers. */
  readonly index: number;
  readonly actors: ReadonlyMap<string, ActorNow>;
  /** By key of the chart. */
  readonly trails: ReadonlyMap<string, Trail>;
}

export function momentAt(session: SessionModel, defs: ReadonlyMap<string, DefFrame>, cursor: Cursor | null): Moment {
  const index = indexAt(session.entries, cursor);
  const actors = new Map<string, ActorNow>();
  const trails = new Map<string, Trail>();
  for (const { actor, snap } of session.base.values()) {
    begin(actors, trails, defs, actor);
    if (snap !== null) change(actors, trails, defs, snap);
  }
  for (let place = 0; place < index; place += 1) step(actors, trails, defs, session.entries[place]!);
  return { index, actors, trails };
}

type Actors = Map<string, ActorNow>;
type Trails = Map<string, Trail>;

function step(actors: Actors, trails: Trails, defs: ReadonlyMap<string, DefFrame>, entry: Entry): void {
  if (entry.type === 'actor') begin(actors, trails, defs, entry);
  else if (entry.type === 'snap') change(actors, trails, defs, entry);
  else if (entry.type === 'gone') {
    const actor = actors.get(entry.id);
    if (actor !== undefined) actors.set(entry.id, { ...actor, gone: entry.why, goneAt: entry.at });
  }
}

function begin(
  actors: Actors,
  trails: Trails,
  defs: ReadonlyMap<string, DefFrame>,
  { id, name, parent, def, snap, at }: ActorFrame,
): void {
  const before = actors.get(id);
  if (before === undefined && def !== undefined) {
    const { states } = trailOf(trails, def);
    for (const leaf of leafIds(defs.get(def)?.id ?? name, snap.v)) bump(states, leaf);
  }
  actors.set(id, {
    id,
    name,
    snap,
    parent: parent ?? null,
    def: def ?? null,
    by: before?.by ?? '',
    hot: before?.hot ?? [],
    bornAt: before?.bornAt ?? at,
    changedAt: at,
    gone: null,
    goneAt: null,
  });
}

function change(
  actors: Actors,
  trails: Trails,
  defs: ReadonlyMap<string, DefFrame>,
  { id, snap, by, tr, at }: { id: string; snap: SnapshotView; by: string; tr: readonly string[]; at: number },
): void {
  const actor = actors.get(id);
  if (actor === undefined) return;
  // An event without a transition leaves the last one in view.
  const hot = tr.length > 0 ? tr : actor.hot;
  actors.set(id, { ...actor, snap, by: tr.length > 0 || actor.by === '' ? by : actor.by, hot, changedAt: at });
  if (actor.def === null) return;
  const trail = trailOf(trails, actor.def);
  if (actor.snap.v === undefined && tr.length === 0) {
    for (const leaf of leafIds(defs.get(actor.def)?.id ?? actor.name, snap.v)) bump(trail.states, leaf);
  }
  const entered = entriesOf(defs.get(actor.def));
  for (const edge of tr) {
    bump(trail.edges, edge);
    for (const state of entered.get(edge) ?? []) bump(trail.states, state);
  }
}

function trailOf(trails: Trails, def: string): Trail {
  let trail = trails.get(def);
  if (trail === undefined) {
    trail = { edges: new Map(), states: new Map() };
    trails.set(def, trail);
  }
  return trail;
}

/** Ids of the active states, outermost first: the innermost and all around them. */
export function activeOf(root: string, value: unknown): Set<string> {
  return new Set(
    leafIds(root, value).flatMap((id) => [...id.matchAll(/\.|$/g)].map(({ index }) => id.slice(0, index))),
  );
}

function bump(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Ids of the innermost active states. */
export function leafIds(root: string, value: unknown): string[] {
  if (typeof value === 'string') return [`${root}.${value}`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) =>
    typeof below === 'object' && below !== null && Object.keys(below).length === 0
      ? [`${root}.${key}`]
      : leafIds(`${root}.${key}`, below),
  );
}

const entered = new WeakMap<DefFrame, Map<string, readonly string[]>>();

/** Innermost states that each edge of a chart enters, going into composite targets by their first states. */
export function entriesOf(def: DefFrame | undefined): ReadonlyMap<string, readonly string[]> {
  if (def === undefined) return new Map();
  const known = entered.get(def);
  if (known !== undefined) return known;
  const states = new Map<string, DefFrame['chart']['root']>();
  const visit = (state: DefFrame['chart']['root']): void => {
    states.set(state.id, state);
    for (const child of state.states) visit(child);
  };
  visit(def.chart.root);
  const leavesBelow = (id: string): string[] => {
    const state = states.get(id);
    if (state === undefined) return [];
    if (state.kind === 'parallel') return state.states.flatMap((child) => leavesBelow(child.id));
    return state.initial === undefined ? [id] : leavesBelow(state.initial);
  };
  const result = new Map(def.chart.edges.map((edge) => [edge.id, edge.to.flatMap(leavesBelow)] as const));
  entered.set(def, result);
  return result;
}

/**
 * What the page remembers: sessions, their entries in order, and the charts their actors run. Filled by fold.ts, read by the
 * selectors beside it (moment.ts, calls.ts, story.ts, ...). Pure: no DOM, no socket, no clock.
 */
import type {
  ActorFrame,
  DefFrame,
  EventFrame,
  GoneFrame,
  HelloFrame,
  LostFrame,
  MessageFrame,
  NoteFrame,
  SessionFrame,
  SnapshotFrame,
  TraceFrame,
} from '../../frame.js';

/** One thing that happened, as it was received. Sorted by `at`, then `q`. */
export type Entry =
  | ActorFrame
  | EventFrame
  | SnapshotFrame
  | GoneFrame
  | TraceFrame
  | NoteFrame
  | MessageFrame
  | LostFrame;

/** What is kept of an actor whose first entries were dropped. */
export interface ActorBase {
  readonly actor: ActorFrame;
  readonly snap: SnapshotFrame | null;
}

/** Text of a model call that still streams. */
export interface Streaming {
  readonly text: string;
  readonly thinking: string;
}

export interface SessionModel {
  readonly sys: string;
  info: SessionFrame | null;
  entries: Entry[];
  /** Actors whose birth is no longer in `entries`, as they were before the first of them. */
  readonly base: Map<string, ActorBase>;
  /** Entries no longer kept. */
  dropped: number;
  /** The past has arrived. */
  synced: boolean;
  /** By task. */
  readonly streaming: Map<string, Streaming>;
  /** Keys of `trace` and `message` entries, which may arrive twice. */
  readonly keys: Set<string>;
  /** Actors told of since the last `lost` or `synced`: what a resync leaves alive. */
  readonly told: Set<string>;
  /** Changes with every fold: what selectors are remembered by. */
  version: number;
  /** Entries arrived out of order. */
  unsorted: boolean;
}

export interface Model {
  hello: HelloFrame | null;
  readonly defs: Map<string, DefFrame>;
  readonly sessions: Map<string, SessionModel>;
  /** Entries of all sessions. */
  count: number;
  version: number;
  /** What came and was no frame, and what was wrong with the last of it; null when all was well. */
  strange: { readonly count: number; readonly last: string } | null;
}

/** A moment of a session: everything up to this place happened. */
export interface Cursor {
  readonly at: number;
  readonly q: number;
}

/** The moment an entry stands for: of an event, the state it led to. */
export function momentOf(entries: readonly Entry[], entry: Entry): Cursor {
  if (entry.type !== 'ev') return { at: entry.at, q: entry.q };
  const from = indexAt(entries, entry);
  const reached = entries
    .slice(from, from + 24)
    .find((each) => each.type === 'snap' && each.id === entry.to && each.by === entry.ev.type);
  const { at, q } = reached ?? entry;
  return { at, q };
}

export function emptyModel(): Model {
  return { hello: null, defs: new Map(), sessions: new Map(), count: 0, version: 0, strange: null };
}

export function emptySession(sys: string): SessionModel {
  return {
    sys,
    info: null,
    entries: [],
    base: new Map(),
    dropped: 0,
    synced: false,
    streaming: new Map(),
    keys: new Set(),
    told: new Set(),
    version: 0,
    unsorted: false,
  };
}

export function compare(a: Cursor, b: Cursor): number {
  return a.at - b.at || a.q - b.q;
}

/** How many entries happened up to `cursor`; all of them without one. */
export function indexAt(entries: readonly Cursor[], cursor: Cursor | null): number {
  if (cursor === null) return entries.length;
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(entries[middle]!, cursor) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

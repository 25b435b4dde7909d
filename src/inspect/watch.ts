import type { AnyActorRef, InspectionEvent, TransitionDefinition } from 'xstate';
import { edgeId } from '../diagram/index.js';
import { definitionOf } from './definition.js';
import { Identities } from './identity.js';
import type { FrameBody } from './item.js';
import { redact } from './redact.js';
import type { Subject } from './subject.js';
import { type SnapshotLike, viewOf } from './view.js';

/** One inspection event as it was gathered: nothing of it was looked at yet. */
export interface Raw {
  readonly event: InspectionEvent;
  readonly at: number;
  /** Position among everything gathered. */
  readonly seq: number;
  /** A newer snapshot of the same actor stands for this one. */
  isCovered: boolean;
}

type Edge = TransitionDefinition<never, never>;

/**
 * Turns the inspection events of one actor system into frames. Knows which actors were told of, and nothing of clients. Never
 * called from within a `send` of the session (hub.ts sees to that).
 */
export class Watch {
  readonly subject: Subject;
  readonly #identities = new Identities();
  /** Told of, and not ended as far as told. */
  #present = new Set<AnyActorRef>();
  #gone = new WeakSet<AnyActorRef>();
  /** Ids of the edges taken since the last snapshot of each actor. */
  #edges = new WeakMap<AnyActorRef, string[]>();
  readonly #edgeIds = new WeakMap<Edge, string>();

  constructor(subject: Subject) {
    this.subject = subject;
  }

  /** Forgets what was told, because what came after was not looked at. */
  reset(): void {
    this.#present = new Set();
    this.#gone = new WeakSet();
    this.#edges = new WeakMap();
  }

  /** Every actor that lives now, parents first. */
  tree(at: number): FrameBody[] {
    const bodies: FrameBody[] = [];
    const visit = (ref: AnyActorRef): void => {
      const snapshot = snapshotOf(ref);
      if (snapshot === undefined || (snapshot.status !== 'active' && ref !== this.subject.root)) return;
      if (snapshot.status === 'active') this.#present.add(ref);
      bodies.push(this.#actor(ref, snapshot, at));
      for (const child of Object.values(snapshot.children ?? {})) visit(child);
    };
    visit(this.subject.root);
    return bodies;
  }

  /** The frames that one gathered event amounts to. */
  frames({ event, at, isCovered }: Raw): FrameBody[] {
    const ref = event.actorRef as AnyActorRef;
    switch (event.type) {
      case '@xstate.microstep':
        this.#noteEdges(ref, event._transitions as unknown as readonly Edge[]);
        return [];
      case '@xstate.event':
        return this.#event(ref, event.sourceRef as AnyActorRef | undefined, event.event, at);
      case '@xstate.snapshot':
        return isCovered ? [] : this.#snapshot(ref, event.snapshot as SnapshotLike, event.event, at);
      default:
        return [];
    }
  }

  #event(ref: AnyActorRef, source: AnyActorRef | undefined, event: { readonly type: string }, at: number): FrameBody[] {
    // Start and stop are told by `actor` and `gone`.
    if (event.type === 'xstate.init' || event.type === 'xstate.stop') return [];
    const failure =
      source !== undefined && event.type.startsWith('xstate.error.actor.') ? this.#failure(source, at) : [];
    const { id, chart } = this.#identities.of(ref);
    // How an effect talks to itself is nobody's business.
    if (chart === undefined) return failure;
    const { value, cut } = redact(event, this.subject.redactText);
    const isInside = source !== undefined && source.system === ref.system;
    return [
      ...failure,
      ...this.#ensure(ref, at),
      {
        type: 'ev',
        sys: this.subject.sys,
        at,
        ...(isInside ? { from: this.#identities.of(source).id } : {}),
        to: id,
        ev: { ...(value as object), type: event.type },
        ...this.#place(ref, event),
        ...cutOf(cut),
      },
    ];
  }

  /** Of an actor that threw, xstate shows no snapshot: the event to its parent is the first that is heard of it. */
  #failure(ref: AnyActorRef, at: number): FrameBody[] {
    const snapshot = snapshotOf(ref);
    return snapshot?.status === 'error' ? this.#snapshot(ref, snapshot, { type: 'xstate.error' }, at) : [];
  }

  #snapshot(ref: AnyActorRef, snapshot: SnapshotLike, by: { readonly type: string }, at: number): FrameBody[] {
    if (this.#gone.has(ref)) return [];
    const bodies: FrameBody[] = [];
    const tr = this.#edges.get(ref) ?? [];
    this.#edges.delete(ref);
    if (this.#present.has(ref)) {
      const { id, chart } = this.#identities.of(ref);
      const { snap, cut } = viewOf(snapshot, chart, this.subject.redactText);
      const { sys } = this.subject;
      bodies.push({ type: 'snap', sys, at, id, snap, by: by.type, tr, ...this.#place(ref, by), ...cutOf(cut) });
    } else {
      const parent = parentOf(ref);
      if (parent !== undefined) bodies.push(...this.#ensure(parent, at));
      this.#present.add(ref);
      bodies.push(this.#actor(ref, snapshot, at));
    }
    if (snapshot.status !== 'active') bodies.push(this.#end(ref, snapshot.status, at));
    return bodies;
  }

  #place(ref: AnyActorRef, event: object): { readonly n?: number } {
    const n = this.subject.placeOf?.(ref, event);
    return n === undefined ? {} : { n };
  }

  #end(ref: AnyActorRef, why: 'done' | 'error' | 'stopped', at: number): FrameBody {
    this.#present.delete(ref);
    this.#gone.add(ref);
    return { type: 'gone', sys: this.subject.sys, at, id: this.#identities.of(ref).id, why };
  }

  /**
   * The `actor` frames without which a frame about `ref` would speak of somebody unknown. An actor starts what it invokes before its
   * own first snapshot is shown: until that follows, its state is left open, because by now it may be in a later one.
   */
  #ensure(ref: AnyActorRef, at: number): FrameBody[] {
    if (this.#present.has(ref) || this.#gone.has(ref)) return [];
    const parent = parentOf(ref);
    const above = parent === undefined ? [] : this.#ensure(parent, at);
    this.#present.add(ref);
    return [...above, this.#actor(ref, undefined, at)];
  }

  #actor(ref: AnyActorRef, snapshot: SnapshotLike | undefined, at: number): FrameBody {
    const { id, name, parent, chart } = this.#identities.of(ref);
    const { snap, cut } =
      snapshot === undefined
        ? { snap: { s: 'active' as const }, cut: 0 }
        : viewOf(snapshot, chart, this.subject.redactText);
    const def = chart === undefined ? undefined : definitionOf(chart)?.key;
    return {
      type: 'actor',
      sys: this.subject.sys,
      at,
      id,
      name,
      ...(parent === undefined ? {} : { parent }),
      ...(def === undefined ? {} : { def }),
      snap,
      ...cutOf(cut),
    };
  }

  #noteEdges(ref: AnyActorRef, transitions: readonly Edge[]): void {
    // The first step of a machine is no transition of its chart.
    const ids = transitions.filter(({ eventType }) => eventType !== null).map((edge) => this.#edgeId(edge));
    if (ids.length === 0) return;
    const known = this.#edges.get(ref);
    if (known === undefined) this.#edges.set(ref, ids);
    else if (known.length < mostEdges) known.push(...ids);
  }

  #edgeId(edge: Edge): string {
    let id = this.#edgeIds.get(edge);
    if (id === undefined) {
      id = edgeId(edge);
      this.#edgeIds.set(edge, id);
    }
    return id;
  }
}

/** Edges kept for one `snap`: more than a chart lights up at once. */
const mostEdges = 64;

const cutOf = (cut: number): { readonly cut?: number } => (cut === 0 ? {} : { cut });

type Snapshot = SnapshotLike & { readonly children?: Readonly<Record<string, AnyActorRef>> };

/** The snapshot of an actor, `undefined` for one that is being made and has none yet. */
function snapshotOf(ref: AnyActorRef): Snapshot | undefined {
  return ref.getSnapshot() as Snapshot | undefined;
}

function parentOf(ref: AnyActorRef): AnyActorRef | undefined {
  return (ref as { readonly _parent?: AnyActorRef })._parent;
}

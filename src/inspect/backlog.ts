import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { Limits } from './limits.js';
import type { Raw, Watch } from './watch.js';

export interface Gathered extends Raw {
  readonly watch: Watch;
}

/** Things left out of one session's account. */
export interface Missed {
  ev: number;
  snap: number;
}

/**
 * What happened and was not looked at yet. `gather` runs inside a session's `send`: it only stores, and never throws. Bounded:
 * above its limit it takes nothing more and counts, until `catchUp`.
 */
export class Backlog {
  readonly #limits: Limits;
  readonly #now: () => number;
  #fresh: Gathered[] = [];
  /** Taken from `#fresh` to be looked at, in order. */
  #batch: (Gathered | undefined)[] = [];
  #next = 0;
  #seq = 0;
  #isBehind = false;
  #missed = new Map<Watch, Missed>();

  constructor(limits: Limits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Position of what is gathered next. */
  get seq(): number {
    return this.#seq;
  }

  get size(): number {
    return this.#fresh.length + this.#batch.length - this.#next;
  }

  gather(watch: Watch, event: InspectionEvent): void {
    if (!isTold(event)) return;
    if (this.#isBehind || this.size >= this.#limits.backlog) {
      this.#isBehind = true;
      const missed = this.#missed.get(watch) ?? { ev: 0, snap: 0 };
      this.#missed.set(watch, missed);
      if (event.type === '@xstate.event') missed.ev += 1;
      else if (event.type === '@xstate.snapshot') missed.snap += 1;
      return;
    }
    this.#fresh.push({ watch, event, at: this.#now(), seq: this.#seq, isCovered: false });
    this.#seq += 1;
  }

  /** The oldest thing gathered; `undefined` when all was looked at. */
  take(): Gathered | undefined {
    if (this.#next >= this.#batch.length) {
      this.#batch = this.#fresh;
      this.#fresh = [];
      this.#next = 0;
      cover(this.#batch as Gathered[], this.#limits.exactSnapshots);
    }
    const gathered = this.#batch[this.#next];
    if (gathered === undefined) return undefined;
    // Let go at once: a snapshot holds its actors.
    this.#batch[this.#next] = undefined;
    this.#next += 1;
    return gathered;
  }

  /** What was not taken in, when some was not and all the rest was looked at. Gathering goes on. */
  catchUp(): ReadonlyMap<Watch, Readonly<Missed>> | undefined {
    if (!this.#isBehind || this.size > 0) return undefined;
    const missed = this.#missed;
    this.#isBehind = false;
    this.#missed = new Map();
    return missed;
  }

  clear(): void {
    this.#fresh = [];
    this.#batch = [];
    this.#next = 0;
    this.#isBehind = false;
    this.#missed = new Map();
  }
}

/** Whether any frame comes of it. Actions are in the chart; effects are told of by their start and end. */
function isTold(event: InspectionEvent): boolean {
  switch (event.type) {
    case '@xstate.snapshot':
    case '@xstate.microstep':
      return true;
    case '@xstate.event': {
      const { type } = event.event;
      if (type === 'xstate.init' || type === 'xstate.stop') return false;
      return (event.actorRef as { readonly logic?: { readonly root?: unknown } }).logic?.root !== undefined;
    }
    default:
      return false;
  }
}

/** At a busy moment, only the newest snapshot of each actor is looked at. */
function cover(batch: readonly Gathered[], exactSnapshots: number): void {
  const snapshots = batch.filter(({ event }) => event.type === '@xstate.snapshot');
  if (snapshots.length <= exactSnapshots) return;
  const seen = new Set<AnyActorRef>();
  for (const gathered of snapshots.reverse()) {
    const ref = gathered.event.actorRef as AnyActorRef;
    gathered.isCovered = seen.has(ref);
    seen.add(ref);
  }
}

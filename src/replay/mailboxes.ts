import type { ActorRefLike, AnyActorRef, AnyMachineSnapshot, InspectionEvent } from 'xstate';
import { type EntryToLog, rootPath } from './log.js';
import { isMachine } from './machines.js';
import type { Redact } from './plain.js';
import { factsOf, requestOf, stateOf } from './step.js';
import type { MachineState, Request } from './types.js';

/** An event one of the machines got, and what it made of it. */
export interface RecordedStep {
  /** Stands for the actor: the same object for all its steps. */
  readonly owner: object;
  readonly path: string;
  readonly run: number;
  readonly chart: string;
  readonly at: number;
  readonly from: string | undefined;
  readonly ev: { readonly type: string };
  readonly before: AnyMachineSnapshot | undefined;
  /** `undefined` when the machine broke on the event. */
  readonly after: AnyMachineSnapshot | undefined;
  readonly requests: readonly Request[];
}

interface Entry {
  readonly machine: Recorded;
  readonly at: number;
  readonly from: string | undefined;
  readonly ev: { readonly type: string };
  before?: AnyMachineSnapshot | undefined;
  after?: AnyMachineSnapshot;
  requests?: readonly Request[];
  /** It left the mailbox unread, because the machine ended. */
  isUnread?: boolean;
}

interface Recorded {
  readonly path: string;
  readonly run: number;
  readonly chart: string;
  snapshot: AnyMachineSnapshot | undefined;
  /** What it asked for since the last event it finished. */
  requests: Request[];
  /** Events that are not handled yet. */
  readonly mailbox: Entry[];
}

/**
 * Follows the mailboxes of all machines of one actor system through its inspection events. Keeps references and computes nothing, so
 * that the machines do not wait. Needs the system's events from its start.
 */
export class Mailboxes {
  readonly #now: () => number;
  readonly #machines = new WeakMap<ActorRefLike, Recorded>();
  readonly #runs = new Map<string, number>();
  #root: AnyActorRef | undefined;
  #queue: Entry[] = [];
  #early: (Omit<Entry, 'machine'> & { readonly ref: ActorRefLike })[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** True when the event was one that `take` will tell of. */
  inspect(event: InspectionEvent): boolean {
    if (event.type === '@xstate.event') return this.#enter(event.actorRef, event.sourceRef, event.event);
    const machine = this.#machines.get(event.actorRef);
    if (machine === undefined) return false;
    if (event.type === '@xstate.action') machine.requests.push(requestOf(event.action));
    if (event.type !== '@xstate.snapshot') return false;
    return this.#handle(machine, event.event, event.snapshot as AnyMachineSnapshot);
  }

  /** Everything since the last call, in the order of arrival. Call it while no machine is in the middle of an event. */
  take(): RecordedStep[] {
    const entries = this.#queue.filter(({ isUnread }) => isUnread !== true);
    this.#queue = [];
    return entries.map(({ machine, at, from, ev, before, after, requests = [] }) => {
      const { path, run, chart } = machine;
      return { owner: machine, path, run, chart, at, from, ev, before, after, requests };
    });
  }

  /** The `owner` of an actor's steps; `undefined` for an actor that has no chart. */
  ownerOf(ref: ActorRefLike): object | undefined {
    return this.#machines.get(ref);
  }

  /** The machines that exist, parents before their children. */
  tree(): MachineState[] {
    const states: MachineState[] = [];
    const visit = (ref: ActorRefLike): void => {
      const machine = this.#machines.get(ref);
      if (machine?.snapshot === undefined) return;
      states.push(stateOf(machine, machine.snapshot));
      for (const child of Object.values(machine.snapshot.children))
        if (child !== undefined) visit(child as AnyActorRef);
    };
    if (this.#root !== undefined) visit(this.#root);
    return states;
  }

  /** The root has ended, or never was. */
  get isOver(): boolean {
    return this.#root?.getSnapshot().status !== 'active';
  }

  #enter(ref: ActorRefLike, source: ActorRefLike | undefined, ev: { readonly type: string }): boolean {
    const known = this.#machines.get(ref);
    if (known === undefined && !isMachine((ref as { logic?: unknown }).logic)) return false;
    const from = source === undefined || source === ref ? undefined : (source as Partial<AnyActorRef>).id;
    const entry = { at: this.#now(), from, ev };
    if (ev.type === 'xstate.init') {
      const machine = this.#start(ref as AnyActorRef, source);
      this.#push({ ...entry, machine });
      // What was sent to it before it started waits in its mailbox.
      for (const { ref: to, ...early } of this.#early) if (to === ref) this.#push({ ...early, machine });
      this.#early = this.#early.filter((early) => early.ref !== ref);
    } else if (known === undefined) this.#early.push({ ...entry, ref });
    else if ((ref as AnyActorRef).getSnapshot().status === 'active') this.#push({ ...entry, machine: known });
    else return false;
    return true;
  }

  #start(ref: AnyActorRef, parent: ActorRefLike | undefined): Recorded {
    const above = parent === undefined ? undefined : this.#machines.get(parent);
    if (above === undefined) this.#root = ref;
    const path = above === undefined ? rootPath : `${above.path}/${ref.id}`;
    const run = (this.#runs.get(path) ?? 0) + 1;
    this.#runs.set(path, run);
    const { id: chart } = (ref as unknown as { readonly logic: { readonly id: string } }).logic;
    const machine: Recorded = { path, run, chart, snapshot: undefined, requests: [], mailbox: [] };
    this.#machines.set(ref, machine);
    return machine;
  }

  #handle(machine: Recorded, ev: { readonly type: string }, after: AnyMachineSnapshot): boolean {
    if (ev.type === 'xstate.stop') {
      // A stop empties the mailbox and is not announced as an event.
      leaveUnread(machine);
      this.#push({ machine, at: this.#now(), from: undefined, ev });
    }
    const entry = machine.mailbox.shift();
    if (entry !== undefined) Object.assign(entry, { before: machine.snapshot, after, requests: machine.requests });
    machine.requests = [];
    machine.snapshot = after;
    if (after.status !== 'active') leaveUnread(machine);
    return entry !== undefined;
  }

  #push(entry: Entry): void {
    entry.machine.mailbox.push(entry);
    this.#queue.push(entry);
  }
}

/** A step as the log has it. What cannot be described, such as a context with a circle in it, is left out. */
export function entryOf(step: RecordedStep, redact?: Redact): EntryToLog {
  const { path, run, chart, at, from, ev } = step;
  const facts = describe(step, redact);
  return {
    at,
    ...(path === rootPath ? {} : { path }),
    ...(run === 1 ? {} : { run }),
    ...(ev.type === 'xstate.init' ? { chart } : {}),
    ...(from === undefined ? {} : { from }),
    ev,
    ...facts,
  };
}

function describe({ before, after, requests }: RecordedStep, redact: Redact | undefined) {
  try {
    return after === undefined ? {} : factsOf(before, after, requests, redact);
  } catch {
    return {};
  }
}

function leaveUnread({ mailbox }: Recorded): void {
  for (const entry of mailbox.splice(0)) entry.isUnread = true;
}

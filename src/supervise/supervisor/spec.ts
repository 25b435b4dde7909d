import type {
  ActorLogic,
  ActorOptions,
  ActorRef,
  AnyActorLogic,
  AnyActorRef,
  EventObject,
  InputFrom,
  NonReducibleUnknown,
  OutputFrom,
  Snapshot,
} from 'xstate';

/** `permanent` always comes back, `transient` only after an abnormal exit, `temporary` never. */
export type Restart = 'permanent' | 'transient' | 'temporary';

/** What a child's own actor system is made with. */
export type ChildSystem = Pick<ActorOptions<AnyActorLogic>, 'clock' | 'logger' | 'inspect'>;

/** How one child is made, stopped and brought back. Read once, when it is spawned. */
export interface ChildSpec<TLogic extends AnyActorLogic = AnyActorLogic> {
  /** Unique among the children that are present. Becomes the id of the child's root actor. */
  readonly id: string;
  readonly src: TLogic;
  readonly input?: InputFrom<TLogic>;
  /** Default `permanent`. */
  readonly restart?: Restart;
  /**
   * Milliseconds the child gets between `drainEvent` and being stopped. 0 stops it at once without asking; `Infinity` waits
   * as long as it takes, which only the deadline of `sup.drain` can shorten. Default 5 000.
   */
  readonly shutdown?: number;
  /** The request to finish. Without one there is nothing to wait for: the child is stopped at once. */
  readonly drainEvent?: EventObject;
  /** True when a final output counts as a failure. Default: no output does. */
  readonly isAbnormal?: (output: OutputFrom<TLogic>) => boolean;
  /** Milliseconds to wait before restart `attempt` (1, 2, ...). Default: the supervisor's. */
  readonly backoff?: (attempt: number) => number;
  /** Overrides the supervisor's `system`. */
  readonly system?: ChildSystem;
}

/** The same spec with its input and output types checked against `src`, fit for `sup.spawn` and `children`. */
export function childSpec<TLogic extends AnyActorLogic>(spec: ChildSpec<TLogic>): ChildSpec {
  return spec as unknown as ChildSpec;
}

export type Strategy = 'one_for_one' | 'one_for_all' | 'rest_for_one';

/** More than `maxRestarts` restarts within `withinMs` end the supervisor. */
export interface Intensity {
  readonly maxRestarts: number;
  readonly withinMs: number;
}

/** How one incarnation of a child ended. */
export type ChildExit =
  | { readonly kind: 'normal'; readonly output: unknown }
  | { readonly kind: 'abnormal'; readonly reason: unknown }
  /** The supervisor, or somebody who holds the reference, ended it. `forced`: it did not end by itself in time. */
  | { readonly kind: 'shutdown'; readonly forced: boolean; readonly output?: unknown };

export type ReportContext = 'start_error' | 'child_terminated' | 'shutdown_error' | 'restart_intensity';

/** The four fields of an OTP supervisor report. */
export interface ExitReport {
  /** Id of the supervisor. */
  readonly supervisor: string;
  readonly context: ReportContext;
  /** The error or output the child ended with, or a `MurError` of the supervisor's own. */
  readonly reason: unknown;
  readonly offender: {
    readonly id: string;
    readonly generation: number;
    readonly restart: Restart;
    readonly shutdown: number;
  };
}

/** Where a child stands, as far as the supervisor knows: a `running` child may have ended a moment ago. */
export type ChildPhase = 'running' | 'stopping' | 'disposing' | 'waiting';

export interface ChildView {
  readonly id: string;
  readonly phase: ChildPhase;
  /** The latest incarnation; `undefined` before the first start. */
  readonly ref: AnyActorRef | undefined;
  /** Counts incarnations from 1. */
  readonly generation: number;
}

export interface SupervisorOptions {
  /** Default `one_for_one`. */
  readonly strategy?: Strategy;
  /** Default 1 restart in 5 000 ms, as OTP. */
  readonly intensity?: Intensity;
  /** Default: no wait. */
  readonly backoff?: (attempt: number) => number;
  /**
   * `reverse` stops one child at a time, the youngest first, and waits for each. `together` asks all of them in that order
   * without waiting in between, for many children that do not depend on each other. Default `reverse`.
   */
  readonly stopOrder?: 'reverse' | 'together';
  /** Started in this order when the supervisor starts. */
  readonly children?: readonly ChildSpec[];
  /** Default for every child's own actor system. */
  readonly system?: ChildSystem;
  /** Releases what a child held. Awaited after every exit, before a restart and before `sup.drained`. */
  readonly onDispose?: (id: string, exit: ChildExit) => void | Promise<void>;
  /** Milliseconds `onDispose` gets before the supervisor goes on without it. Default 5 000. */
  readonly disposeMs?: number;
  /** Receives every exit report. Required, because a supervisor without reports hides faults. */
  readonly report: (report: ExitReport) => void;
  /** Monotonic time for the intensity window and the drain deadline. Default: the system clock. */
  readonly clock?: { monotonic(): number };
}

/** What a supervisor can be asked. */
export type SupervisorEvent =
  | { readonly type: 'sup.spawn'; readonly child: ChildSpec }
  /** Ends one child for good. */
  | { readonly type: 'sup.terminate'; readonly id: string }
  /**
   * Ends every child, then the supervisor. `deadlineMs` is one budget for all of them; a second drain can only shorten it.
   */
  | { readonly type: 'sup.drain'; readonly deadlineMs?: number };

export type SupervisorEmitted =
  /** The reference is not started yet, so listeners added now miss nothing. */
  | { readonly type: 'child.started'; readonly id: string; readonly generation: number; readonly ref: AnyActorRef }
  | { readonly type: 'child.exited'; readonly id: string; readonly generation: number; readonly exit: ChildExit }
  | { readonly type: 'child.disposed'; readonly id: string; readonly generation: number; readonly late: boolean }
  | {
      readonly type: 'child.restarting';
      readonly id: string;
      readonly generation: number;
      readonly attempt: number;
      readonly delayMs: number;
    }
  | { readonly type: 'child.refused'; readonly id: string; readonly reason: 'duplicate' | 'draining' }
  | { readonly type: 'sup.escalated'; readonly reason: Error }
  | { readonly type: 'sup.drained' };

/** What the supervisor sends itself. `generation` tells a message about an older incarnation from a current one. */
export type InternalEvent =
  | { readonly type: 'sup._exited'; readonly id: string; readonly generation: number; readonly ending: Ending }
  | {
      readonly type: 'sup._disposed';
      readonly id: string;
      readonly generation: number;
      readonly late: boolean;
      readonly fault?: { readonly reason: unknown };
    }
  | { readonly type: 'sup._overdue'; readonly id: string; readonly generation: number }
  | { readonly type: 'sup._restart'; readonly id: string; readonly generation: number }
  | { readonly type: 'sup._restartGroup'; readonly round: number }
  | { readonly type: 'sup._drainOverdue' }
  | { readonly type: 'xstate.stop' };

/** How an actor stopped, before the supervisor judges it. */
export type Ending =
  | { readonly status: 'done'; readonly output: unknown }
  | { readonly status: 'error'; readonly error: unknown; readonly starting: boolean }
  | { readonly status: 'stopped' };

/** What anybody may read of a supervisor. Live, not a copy. */
export interface SupervisorView {
  readonly phase: 'open' | 'draining' | 'closed';
  /** In start order. */
  readonly children: ReadonlyMap<string, ChildView>;
}

export type SupervisorSnapshot = Snapshot<undefined> & { readonly context: SupervisorView };

/** xstate does not export the name of this type. */
export type AnySystem = AnyActorRef['system'];

export type SupervisorLogic = ActorLogic<
  SupervisorSnapshot,
  SupervisorEvent,
  NonReducibleUnknown,
  AnySystem,
  SupervisorEmitted
>;

export type SupervisorRef = ActorRef<SupervisorSnapshot, SupervisorEvent, SupervisorEmitted>;

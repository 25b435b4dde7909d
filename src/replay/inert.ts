import {
  type AnyActorScope,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  initialTransition,
  type StateNode,
  transition,
} from 'xstate';
import { edgeId } from '../diagram/chart.js';
import { type ReportedAction, requestOf } from './step.js';
import type { MachineState, Request } from './types.js';

/** One pure step. */
export interface Step {
  readonly snapshot: AnyMachineSnapshot;
  readonly requests: readonly Request[];
}

/** Logic of an actor that never does anything: what a replayed machine starts in the place of effects and other machines. */
const nothing = {
  getInitialSnapshot: () => ({ status: 'active' as const, output: undefined, error: undefined }),
  transition: <S>(snapshot: S) => snapshot,
  getPersistedSnapshot: <S>(snapshot: S) => snapshot,
};

/**
 * A machine that can be stepped through and runs nothing: what it asks for is handed back. Snapshots are values: any of them can be
 * stepped from again.
 *
 * It steps inside a scope of its own, which spares the actor that xstate's `transition` makes for every call. That leans on what an
 * actor scope is inside xstate, so a step that fails there is made by `transition`, which then decides.
 */
export class InertMachine {
  readonly machine: AnyStateMachine;
  readonly #scope: AnyActorScope;
  #actions: ReportedAction[] = [];

  constructor(machine: AnyStateMachine) {
    const actors = Object.keys(machine.implementations.actors).map((name) => [name, nothing]);
    this.machine = machine.provide({ actors: Object.fromEntries(actors) } as never);
    const self = createActor(nothing as never, {} as never);
    this.#scope = {
      self: self as never,
      id: machine.id,
      sessionId: self.sessionId,
      logger: () => undefined,
      defer: () => undefined,
      emit: () => undefined,
      stopChild: () => undefined,
      system: self.system as never,
      actionExecutor: (action: ReportedAction) => this.#actions.push(action),
    } as unknown as AnyActorScope;
  }

  start(input: unknown): Step {
    return this.#step(
      () => this.machine.getInitialSnapshot(this.#scope as never, input as never) as AnyMachineSnapshot,
      () => initialTransition(this.machine, input as never) as unknown as [AnyMachineSnapshot, ReportedAction[]],
    );
  }

  /** Throws what the machine throws. */
  next(snapshot: AnyMachineSnapshot, event: AnyEventObject): Step {
    return this.#step(
      () => this.machine.transition(snapshot as never, event, this.#scope as never) as AnyMachineSnapshot,
      () => transition(this.machine, snapshot as never, event) as unknown as [AnyMachineSnapshot, ReportedAction[]],
    );
  }

  /** The ids of the transitions taken while `act` steps this machine. */
  watching<T>(act: () => T): { readonly result: T; readonly taken: readonly string[] } {
    const taken: string[] = [];
    const watch = this.#scope.system.inspect((event) => {
      if (event.type === '@xstate.microstep') for (const transition of event._transitions) taken.push(idOf(transition));
    });
    try {
      return { result: act(), taken };
    } finally {
      watch.unsubscribe();
    }
  }

  /** A snapshot that goes on where a stored state ends. Throws when the chart has no such state. */
  restore({ status, value, context, output, error, children, history = {} }: MachineState): AnyMachineSnapshot {
    const resolved = this.machine.resolveState({
      value,
      context,
      status,
      output,
      error,
    } as never) as AnyMachineSnapshot;
    const nodes = Object.entries(history).map(([id, ids]): [string, StateNode[]] => [
      id,
      ids.map((each) => this.machine.getStateNodeById(each) as StateNode),
    ]);
    return {
      ...resolved,
      status,
      historyValue: Object.fromEntries(nodes),
      children: Object.fromEntries(children.map((id) => [id, this.#child(id)])),
    } as AnyMachineSnapshot;
  }

  #child(id: string) {
    return createActor(nothing as never, { id, parent: this.#scope.self } as never);
  }

  #step(own: () => AnyMachineSnapshot, official: () => [AnyMachineSnapshot, ReportedAction[]]): Step {
    this.#actions = [];
    try {
      const snapshot = own();
      return { snapshot, requests: this.#actions.map(requestOf) };
    } catch {
      const [snapshot, actions] = official();
      return { snapshot, requests: actions.map(requestOf) };
    }
  }
}

const edgeIds = new WeakMap<AnyTransitionDefinition, string>();

function idOf(transition: AnyTransitionDefinition): string {
  const known = edgeIds.get(transition);
  if (known !== undefined) return known;
  const id = edgeId(transition as never);
  edgeIds.set(transition, id);
  return id;
}

import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
  getInitialMicrosteps,
  getMicrosteps,
  type StateNode,
} from 'xstate';
import { getAdjacencyMap, getSimplePaths } from 'xstate/graph';

export interface Step {
  readonly from: AnyMachineSnapshot;
  readonly event: EventObject;
  readonly to: AnyMachineSnapshot;
}

export interface Walk {
  /** One of every `configuration`. */
  readonly snapshots: readonly AnyMachineSnapshot[];
  /** Every event in every configuration where it can occur. */
  readonly steps: readonly Step[];
  /** Ids of all states that were entered, also those that are left within the same step. */
  readonly entered: ReadonlySet<string>;
  /** Every path that visits no configuration of states twice. */
  readonly paths: readonly (readonly AnyMachineSnapshot[])[];
}

/** Everything a machine can do, given that input and those events. Nothing is run: effects end as the events say they may. */
export function walk(machine: AnyStateMachine, input: unknown, events: readonly EventObject[]): Walk {
  const options = {
    input,
    events: [...events],
    limit: 100_000,
    filterEvents: (snapshot: AnyMachineSnapshot, event: EventObject) =>
      snapshot.status === 'active' && canOccur(snapshot, event),
  };
  const adjacency = getAdjacencyMap(machine, {
    ...options,
    serializeState: configuration,
  } as never) as Record<
    string,
    { state: AnyMachineSnapshot; transitions: Record<string, { event: EventObject; state: AnyMachineSnapshot }> }
  >;
  const visited = Object.values(adjacency);
  const steps = visited.flatMap(({ state: from, transitions }) =>
    Object.values(transitions).map(({ event, state: to }) => ({ from, event, to })),
  );
  const entered = new Set<string>();
  const enter = (microsteps: readonly (readonly [unknown, ...unknown[]])[]) => {
    for (const [snapshot] of microsteps)
      for (const node of nodesOf(snapshot as AnyMachineSnapshot)) entered.add(node.id);
  };
  enter(getInitialMicrosteps(machine, input as never));
  for (const { from, event } of steps) enter(getMicrosteps(machine, from as never, event as never));
  const paths = getSimplePaths(machine, {
    ...options,
    serializeState: (state: AnyMachineSnapshot) => JSON.stringify([state.value, state.status]),
  } as never).map((path) => path.steps.map((step) => step.state as AnyMachineSnapshot));
  return { snapshots: visited.map(({ state }) => state), steps, entered, paths };
}

/** What tells two snapshots apart here: state, status and context, its lists cut after 2 entries and its numbers capped at 3. */
export function configuration(snapshot: AnyMachineSnapshot): string {
  return JSON.stringify([snapshot.value, snapshot.status, bounded(snapshot.context)]);
}

/** All states of a machine but its root. */
export function statesOf(machine: AnyStateMachine): StateNode[] {
  const below = (node: StateNode): StateNode[] =>
    Object.values(node.states).flatMap((child) => [child as StateNode, ...below(child as StateNode)]);
  return below(machine.root as StateNode);
}

export function nodesOf(snapshot: AnyMachineSnapshot): StateNode[] {
  return (snapshot as unknown as { _nodes: StateNode[] })._nodes;
}

/** An effect can only end, and a timer only fire, in a state that started it. */
function canOccur(snapshot: AnyMachineSnapshot, event: EventObject): boolean {
  const actor = /^xstate\.(?:done|error)\.actor\.(.+)$/.exec(event.type)?.[1];
  const nodes = nodesOf(snapshot);
  if (actor !== undefined) return nodes.some((node) => node.invoke.some(({ id }) => id === actor));
  if (event.type.startsWith('xstate.after.')) return nodes.some((node) => event.type.endsWith(`.${node.id}`));
  return true;
}

function bounded(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 2).map(bounded);
  if (typeof value === 'number') return Math.min(value, 3);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, bounded(entry)]));
}

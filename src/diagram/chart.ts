import type { AnyStateMachine, StateNode, StateValue, TransitionDefinition } from 'xstate';

export type StateKind = 'atomic' | 'compound' | 'parallel' | 'final' | 'history';

/** One state of a chart. Plain JSON. */
export interface ChartState {
  /** The machine's id, then the keys down to the state, joined by dots. */
  readonly id: string;
  readonly key: string;
  readonly kind: StateKind;
  readonly description?: string;
  /** Id of the state entered first. */
  readonly initial?: string;
  /** Only for history states: whether the whole configuration below is remembered. */
  readonly history?: 'shallow' | 'deep';
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly invokes: readonly { readonly id: string; readonly src: string }[];
  readonly states: readonly ChartState[];
}

export type Cause = 'event' | 'done' | 'error' | 'after' | 'always';

/** One transition. Plain JSON. */
export interface ChartEdge {
  /** State, event and place among the transitions for that event: `task.settled#always#0`. */
  readonly id: string;
  readonly from: string;
  /** Empty when the state is not left: actions only. Several in a parallel state. */
  readonly to: readonly string[];
  readonly cause: Cause;
  /** The event, the effect that ended, the delay, or nothing for `always`. */
  readonly name: string;
  readonly guard?: string;
  /** Taken when no guard of an earlier transition for the same event holds. */
  readonly otherwise: boolean;
  readonly actions: readonly string[];
  /** A transition to the state itself, or into it, that leaves it first. */
  readonly reenter: boolean;
}

export interface Chart {
  readonly root: ChartState;
  readonly edges: readonly ChartEdge[];
}

/** The drawing data of a machine: names only, no code and no context. The same machine gives the same chart. */
export function chartOf(machine: AnyStateMachine): Chart {
  const edges: ChartEdge[] = [];
  const visit = (node: StateNode): ChartState => {
    for (const transition of transitionsOf(node)) edges.push(edgeOf(transition));
    const initial = node.initial?.target[0];
    const kind = node.type as StateKind;
    return {
      id: stateId(node),
      key: node.key,
      kind,
      ...(node.description === undefined ? {} : { description: node.description }),
      ...(kind === 'compound' && initial !== undefined ? { initial: stateId(initial as StateNode) } : {}),
      ...(kind === 'history' ? { history: node.history === 'deep' ? ('deep' as const) : ('shallow' as const) } : {}),
      entry: actionNames(node.entry),
      exit: actionNames(node.exit),
      invokes: node.invoke.map(({ id, src }) => ({ id, src: String(src) })),
      states: Object.values(node.states).map((child) => visit(child as StateNode)),
    };
  };
  return { root: visit(machine.root as StateNode), edges };
}

/** The id of the edge a transition is drawn as. Takes the definitions that xstate's microstep inspection events carry. */
export function edgeId(transition: TransitionDefinition<never, never>): string {
  const source = stateId(transition.source as unknown as StateNode);
  return `${source}#${transition.eventType || 'always'}#${siblingsOf(transition).indexOf(transition)}`;
}

/** Ids of the states that are active in `value`, the machine itself first. */
export function activeIds(machineId: string, value: StateValue): string[] {
  if (typeof value === 'string') return [machineId, `${machineId}.${value}`];
  const below = Object.entries(value).flatMap(([key, nested]) =>
    nested === undefined ? [] : activeIds(`${machineId}.${key}`, nested),
  );
  return [machineId, ...below];
}

/** What an edge says: `validate ✓ [succeeded]`, `validate ✓ [else]`, `after idleTimeout`, `[isOk]`. */
export function labelOf({ cause, name, guard, otherwise }: ChartEdge): string {
  const words = { event: name, done: `${name} ✓`, error: `${name} ✗`, after: `after ${name}`, always: '' }[cause];
  const condition = guard !== undefined ? `[${guard}]` : otherwise ? '[else]' : '';
  return [words, condition].filter(Boolean).join(' ') || 'always';
}

function transitionsOf(node: StateNode): TransitionDefinition<never, never>[] {
  return [...node.transitions.values(), node.always ?? []].flat() as unknown as TransitionDefinition<never, never>[];
}

function siblingsOf({ source, eventType }: TransitionDefinition<never, never>): TransitionDefinition<never, never>[] {
  return transitionsOf(source as unknown as StateNode).filter((other) => other.eventType === eventType);
}

function edgeOf(transition: TransitionDefinition<never, never>): ChartEdge {
  const guard = guardName(transition.guard);
  return {
    id: edgeId(transition),
    from: stateId(transition.source as unknown as StateNode),
    to: (transition.target ?? []).map((target) => stateId(target as unknown as StateNode)),
    ...causeOf(transition.eventType),
    ...(guard === undefined ? {} : { guard }),
    otherwise: guard === undefined && siblingsOf(transition)[0] !== transition,
    actions: actionNames(transition.actions),
    reenter: transition.reenter,
  };
}

function causeOf(eventType: string): { cause: Cause; name: string } {
  const ended = /^xstate\.(done|error)\.actor\.(.+)$/.exec(eventType);
  if (ended !== null) {
    const name = ended[2] === '*' ? 'any actor' : ended[2]!;
    return { cause: ended[1] as 'done' | 'error', name };
  }
  const finished = /^xstate\.done\.state\.(?:.*\.)?(.+)$/.exec(eventType);
  if (finished !== null) return { cause: 'done', name: finished[1]! };
  const after = /^xstate\.after\.([^.]+)\./.exec(eventType)?.[1];
  if (after !== undefined) return { cause: 'after', name: /^\d+$/.test(after) ? `${after} ms` : after };
  if (eventType === '') return { cause: 'always', name: '' };
  return { cause: 'event', name: eventType === '*' ? 'any event' : eventType };
}

function stateId(node: StateNode): string {
  return [node.machine.id, ...node.path].join('.');
}

function actionNames(actions: readonly unknown[]): string[] {
  // What `after` raises and cancels is drawn as the delay of its edge.
  return actions.map(nameOf).filter((name) => name !== 'xstate.raise' && name !== 'xstate.cancel');
}

function guardName(guard: unknown): string | undefined {
  if (guard === undefined) return undefined;
  const parts = (guard as { guards?: readonly unknown[] }).guards?.map((part) => guardName(part) ?? '') ?? [];
  switch (parts.length > 0 ? (guard as { name?: string }).name : undefined) {
    case 'not':
      return `not ${parts[0]}`;
    case 'and':
      return parts.join(' and ');
    case 'or':
      return parts.join(' or ');
    default:
      return nameOf(guard);
  }
}

function nameOf(named: unknown): string {
  if (typeof named === 'string') return named;
  const { type } = named as { type?: unknown };
  return typeof type === 'string' ? type : 'inline';
}

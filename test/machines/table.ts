import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, initialTransition, transition } from 'xstate';

export type Fact = EventObject & Record<string, unknown>;

/** The result of the effect `id`, as the chart receives it. */
export const done = (id: string, output: unknown): Fact => ({ type: `xstate.done.actor.${id}`, output, actorId: id });

/** The effect `id` broke. */
export const broke = (id: string, error: unknown): Fact => ({ type: `xstate.error.actor.${id}`, error, actorId: id });

/** The snapshot after folding `facts` over the machine's start. No effect runs and no time passes. */
export function fold(machine: AnyStateMachine, input: unknown, facts: readonly Fact[]): AnyMachineSnapshot {
  let [snapshot] = initialTransition(machine, input as never);
  for (const fact of facts) [snapshot] = transition(machine, snapshot, fact);
  return snapshot as AnyMachineSnapshot;
}

/** A state value as text: `running.serving.working`; parallel regions are joined by `|`. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Object.entries(value as Record<string, unknown>)
    .map(([key, inner]) => `${key}.${valueText(inner)}`)
    .join('|');
}

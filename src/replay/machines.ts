import { type AnyStateMachine, StateMachine } from 'xstate';
import { sha256Hex } from '../text/index.js';

/** The machine and every machine it can start, however deep, by chart id. */
export function machinesOf(root: AnyStateMachine): Map<string, AnyStateMachine> {
  const found = new Map<string, AnyStateMachine>();
  const visit = (machine: AnyStateMachine): void => {
    if (found.has(machine.id)) return;
    found.set(machine.id, machine);
    for (const actor of Object.values(machine.implementations.actors)) if (isMachine(actor)) visit(actor);
  };
  visit(root);
  return found;
}

export function isMachine(logic: unknown): logic is AnyStateMachine {
  return logic instanceof StateMachine;
}

export interface ChartHashes {
  readonly chart: string;
  readonly charts: Readonly<Record<string, string>>;
}

/**
 * Tells one version of the charts from another: states, transitions and names, not code. Code that changed shows when a log is
 * verified.
 */
export function chartHashes(machines: ReadonlyMap<string, AnyStateMachine>): ChartHashes {
  const charts = Object.fromEntries(
    [...machines].map(([id, machine]) => [id, sha256Hex(JSON.stringify(machine.config)).slice(0, 16)]),
  );
  return { chart: sha256Hex(JSON.stringify(charts)), charts };
}

/** Which states the root of a session was in, and for how long: the first lane of the timeline. */
import type { Entry, SessionModel } from './model.js';
import { stateText } from './names.js';

export interface Phase {
  /** First part of the state: `staging`, `running`, ... */
  readonly name: string;
  readonly from: number;
  /** Null for the one that lasts. */
  readonly to: number | null;
}

export function phasesOf({ entries, base }: SessionModel): Phase[] {
  const phases: { name: string; from: number; to: number | null }[] = [];
  const add = (value: unknown, at: number): void => {
    const name = stateText(value).split('.')[0]!;
    const last = phases.at(-1);
    if (last?.name === name) return;
    if (last !== undefined) last.to = at;
    phases.push({ name, from: at, to: null });
  };
  for (const { actor, snap } of base.values()) if (isRoot(actor)) add((snap ?? actor).snap.v, (snap ?? actor).at);
  for (const entry of entries) {
    if ((entry.type === 'actor' && isRoot(entry)) || (entry.type === 'snap' && !entry.id.includes('/'))) {
      add(entry.snap.v, entry.at);
    }
  }
  return phases;
}

function isRoot(entry: Entry): boolean {
  return entry.type === 'actor' && entry.parent === undefined;
}

/** One actor per chart: the one that runs, or the last that did. From the session down to the tool call. */
import type { DefFrame } from '../../frame.js';
import type { ActorNow, Moment } from './moment.js';

export interface Level {
  readonly def: DefFrame;
  readonly actor: ActorNow;
}

export function levelsOf({ actors }: Moment, defs: ReadonlyMap<string, DefFrame>): Level[] {
  const newest = new Map<string, ActorNow>();
  for (const actor of actors.values()) {
    if (actor.def === null) continue;
    const before = newest.get(actor.def);
    if (before === undefined || rank(actor) >= rank(before)) newest.set(actor.def, actor);
  }
  return [...newest]
    .flatMap(([key, actor]) => {
      const def = defs.get(key);
      return def === undefined ? [] : [{ def, actor }];
    })
    .sort((a, b) => depth(a.actor) - depth(b.actor));
}

/** A living one before one that ended, a later one before an earlier. */
function rank({ gone, bornAt }: ActorNow): number {
  return (gone === null ? 1e15 : 0) + bornAt;
}

function depth({ id }: ActorNow): number {
  return id.split('/').length;
}

/**
 * The level to look at when nobody chose one: the turn while there is one, because that is where things move; before the first turn
 * and after the last task, the session.
 */
export function followed(levels: readonly Level[]): Level | undefined {
  const root = levels[0];
  const turn = levels.find(({ def }) => def.id === 'turn');
  const task = levels.find(({ def }) => def.id === 'task');
  const isWorking = task !== undefined && task.actor.gone === null;
  return (isWorking ? (turn ?? task) : root) ?? root;
}

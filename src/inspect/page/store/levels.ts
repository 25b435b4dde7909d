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
 * The levels to look at when nobody chose one, at most `most`: the turn and its tool calls while a task runs, because that is where
 * things move; before the first task and after the last, the session.
 */
export function staged(levels: readonly Level[], most: number): Level[] {
  const find = (id: string) => levels.find(({ def }) => def.id === id);
  const task = find('task');
  const isWorking = task !== undefined && task.actor.gone === null;
  const moving = [find('turn'), find('tool-call')].filter((level) => level !== undefined);
  if (isWorking && moving.length > 0) return moving.slice(0, most);
  return (isWorking ? [task] : levels.slice(0, 1)).slice(0, most);
}

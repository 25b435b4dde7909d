import type { Roster } from './roster.js';

/** One member may call another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * Who may call whom, each pair once, in roster order. `all` joins the members that `acceptsPeerTasks` says take tasks of peers; the
 * entry member is called by nobody.
 */
export function callsOf(roster: Roster, acceptsPeerTasks: (member: string) => boolean): readonly Edge[] {
  const { members, reachability } = roster;
  if (reachability !== 'all') {
    const found = new Map<string, Edge>();
    for (const { from, to } of reachability) {
      for (const callee of to) found.set(JSON.stringify([from, callee]), { from, to: callee });
    }
    return [...found.values()];
  }
  const open = members.filter(({ name }) => acceptsPeerTasks(name));
  return open.flatMap(({ name: from }) =>
    open.filter(({ name, isEntry }) => name !== from && !isEntry).map(({ name: to }) => ({ from, to })),
  );
}

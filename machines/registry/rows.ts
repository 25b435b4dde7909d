/** What the registry chart does with its lists. Pure: facts in, the next context and what follows out. */
import type { Change, Pruned, RecordFacts, RegistryContext, RegistryEmitted, SessionRow } from './types.js';

export interface Step {
  readonly next: Pick<RegistryContext, 'known' | 'rows' | 'doomed'>;
  readonly emit: readonly RegistryEmitted[];
  /** Sessions whose watchers start or stop. */
  readonly start: readonly string[];
  readonly stop: readonly string[];
}

/** A new listing: records that are new or replaced get a watcher, sessions whose record went away are over. */
export function afterListing(context: RegistryContext, records: readonly RecordFacts[], at: number): Step {
  const before = new Map(context.known.map((facts) => [facts.sessionId, facts]));
  const doomed = new Set(context.doomed.map(({ sessionId }) => sessionId));
  const rows = new Map(context.rows.map((row) => [row.sessionId, row]));
  const listed = new Set(records.map(({ sessionId }) => sessionId));
  const start: string[] = [];
  const stop: string[] = [];
  for (const facts of records) {
    const held = before.get(facts.sessionId);
    if (held !== undefined && isSameProcess(held, facts)) continue;
    if (doomed.has(facts.sessionId)) continue; // the pruning that runs reads the record anew
    if (held !== undefined) stop.push(facts.sessionId);
    start.push(facts.sessionId);
  }
  const over = context.known.filter(({ sessionId }) => !listed.has(sessionId) && !doomed.has(sessionId));
  const replaced = new Set([...stop, ...over.map(({ sessionId }) => sessionId)]);
  const kept = context.known.filter(({ sessionId }) => doomed.has(sessionId) && !listed.has(sessionId));
  return {
    next: {
      known: [...records, ...kept].sort(newestFirst),
      rows: context.rows.filter(({ sessionId }) => !replaced.has(sessionId)),
      doomed: context.doomed,
    },
    emit: over.map(({ sessionId }) => removed(sessionId, rows.get(sessionId), 'ended', 'its record was removed', at)),
    start,
    stop: [...stop, ...over.map(({ sessionId }) => sessionId)],
  };
}

/** Verdicts that changed. `Gone` alone dooms a record. */
export function afterChanges(context: RegistryContext, changes: readonly Change[]): Step {
  const known = new Map(context.known.map((facts) => [facts.sessionId, facts]));
  const rows = new Map(context.rows.map((row) => [row.sessionId, row]));
  const doomed = new Map(context.doomed.map((each) => [each.sessionId, each]));
  const emit: RegistryEmitted[] = [];
  for (const { sessionId, verdict, reason, at } of changes) {
    const facts = known.get(sessionId);
    if (facts === undefined || doomed.has(sessionId)) continue;
    if (verdict === 'Gone') {
      doomed.set(sessionId, { sessionId, reason: reason ?? '' });
      continue;
    }
    const row: SessionRow = {
      ...facts,
      status: verdict === 'Live' ? 'running' : 'unreachable',
      reason: verdict === 'Live' ? null : reason,
    };
    emit.push({ type: rows.has(sessionId) ? 'row.changed' : 'row.added', row, at });
    rows.set(sessionId, row);
  }
  return {
    next: { known: context.known, rows: [...rows.values()].sort(newestFirst), doomed: [...doomed.values()] },
    emit,
    start: [],
    stop: [],
  };
}

/** What pruning came to. A record that was kept is looked at anew by the next listing. */
export function afterPruning(context: RegistryContext, results: readonly Pruned[]): Step {
  const rows = new Map(context.rows.map((row) => [row.sessionId, row]));
  const settled = new Set(results.map(({ sessionId }) => sessionId));
  const rest = <T extends { readonly sessionId: string }>(list: readonly T[]) =>
    list.filter(({ sessionId }) => !settled.has(sessionId));
  return {
    next: { known: rest(context.known), rows: rest(context.rows), doomed: rest(context.doomed) },
    emit: results.flatMap(({ sessionId, result, reason, at }) =>
      result === 'kept' ? [] : [removed(sessionId, rows.get(sessionId), result, reason, at)],
    ),
    start: [],
    stop: [...settled],
  };
}

function removed(
  sessionId: string,
  row: SessionRow | undefined,
  result: 'pruned' | 'ended',
  reason: string,
  at: number,
): RegistryEmitted {
  return { type: 'row.removed', sessionId, row: row ?? null, result, reason, at };
}

/** A record that was replaced names another process, and what was known of the first says nothing about it. */
function isSameProcess(a: RecordFacts, b: RecordFacts): boolean {
  return a.pid === b.pid && a.processStart === b.processStart && a.url === b.url;
}

/** Session ids are time-ordered (spec/liveness.md 4.1). */
function newestFirst(a: { readonly sessionId: string }, b: { readonly sessionId: string }): number {
  return a.sessionId < b.sessionId ? 1 : a.sessionId > b.sessionId ? -1 : 0;
}

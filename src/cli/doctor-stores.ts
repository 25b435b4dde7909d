import type { ArtifactStore, LocalStore, StoreProblem, StoreRow } from '../artifacts/index.js';
import { reasonOf, toMurError } from '../errors/index.js';
import type { Lock } from '../lock/index.js';
import type { Block, Finding } from './doctor-block.js';
import type { Installed } from './doctor-interfaces.js';

/** What lies in the stores, each archive read whole and checked against the hash that was recorded beside it. */
export interface StoreSurvey {
  readonly block: Block;
  readonly installed: readonly Installed[];
}

interface Surveyed {
  readonly store: LocalStore;
  readonly rows: readonly StoreRow[];
  readonly problems: readonly StoreProblem[];
  readonly findings: readonly Finding[];
}

/**
 * Reads every archive of `stores` once. `isDeclared` artifacts have a line of their own in the checklist when it is this store
 * that gives them, so their damage is told there.
 */
export async function surveyStores(
  stores: readonly LocalStore[],
  lock: Lock | undefined,
  isDeclared: (row: StoreRow) => boolean,
): Promise<StoreSurvey> {
  const given = new Set<string>();
  const surveyed: Surveyed[] = [];
  for (const store of stores) {
    const rows = await store.list();
    const findings: Finding[] = [];
    for (const row of rows) {
      const label = `${row.meta.name}@${row.meta.version}`;
      const isGivenHere = isDeclared(row) && !given.has(label);
      const found = await verify(store, row, store.kind === 'project' ? lock : undefined);
      if (found !== undefined && !isGivenHere) findings.push(found);
    }
    for (const { meta } of rows) given.add(`${meta.name}@${meta.version}`);
    surveyed.push({ store, rows, problems: await store.problems(), findings });
  }
  return {
    block: blockOf(surveyed),
    installed: surveyed.flatMap(({ store: { kind }, rows }) => rows.map((row) => ({ scope: kind, row }))),
  };
}

function blockOf(surveyed: readonly Surveyed[]): Block {
  return {
    key: 'stores',
    title: 'Stores',
    lines: surveyed.flatMap(({ store, rows, problems, findings }) => [
      `${store.kind} (${store.root}): ${rows.length === 0 ? 'empty' : count(rows.length, 'archive')}`,
      ...findings,
      ...problems.map(
        ({ path, reason }): Finding => ({
          level: 'warning',
          text: `${path}: ${reason}`,
          fix: `look at ${path}; remove it if it is no longer needed`,
        }),
      ),
    ]),
    json: surveyed.map(({ store, rows, problems, findings }) => ({
      scope: store.kind,
      path: store.root,
      archives: rows.length,
      damaged: findings.map(({ level, text, code, details }) => ({ level, code, text, details })),
      problems,
    })),
  };
}

/** What is wrong with one archive; `undefined` when its bytes are the recorded ones, and the pinned ones. */
async function verify(
  store: ArtifactStore,
  { meta, platform, path }: StoreRow,
  lock: Lock | undefined,
): Promise<Finding | undefined> {
  const label = `${meta.name}@${meta.version}`;
  try {
    // No platform is asked for by a name none has, so the archive for all of them is what is found.
    const stored = await store.find(meta.name, meta.version, platform ?? 'any');
    const pin = lock?.artifacts.find(
      ({ name, resolvedVersion }) => name === meta.name && resolvedVersion === meta.version,
    );
    if (stored === undefined || pin === undefined) return undefined;
    const pinned = 'any' in pin.sha256 ? pin.sha256.any : pin.sha256.platforms[platform ?? ''];
    if (pinned === undefined || pinned === stored.sha256) return undefined;
    return {
      level: 'warning',
      code: 'E-REG-002',
      text: `${label} is not what murmur.lock pins`,
      details: [`expected sha256 (murmur.lock): ${pinned}`, `actual sha256 (on disk): ${stored.sha256}`],
      fix: `mur install ${label}`,
    };
  } catch (error) {
    const { code } = toMurError(error);
    return {
      level: 'error',
      code,
      text: `${label} is damaged: ${path}`,
      details: [reasonOf(error)],
      fix: `mur install ${label}`,
    };
  }
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

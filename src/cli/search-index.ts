import { join } from 'node:path';
import { localStore } from '../artifacts/local-store.js';
import { findIndex, type IndexEntry, matching } from '../artifacts/registries/index.js';
import { findProjectRoot, projectStoreRoot } from '../artifacts/stores.js';
import { locateConfig, readConfig } from '../home/config.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import type { CliContext, ExitStatus } from './context.js';
import { tableText } from './list-table.js';
import { oneLine } from './safe-text.js';
import type { SearchFlags } from './search.js';
import { styleFor, wantsColor } from './style.js';
import { cut, displayWidth } from './width.js';

/** Prints what an index has. Stores nothing. */
export async function searchArtifacts(flags: SearchFlags, { stdout, env }: CliContext): Promise<ExitStatus> {
  const where = flags.registry ?? readConfig(locateConfig(env)).registry.indexUrl;
  const found = matching(await findIndex({ where, stores: storesHere(env) }, { env }), flags.query, flags.limit);
  if (flags.json === true) stdout.write(`${JSON.stringify(found.map(json))}\n`);
  else if (found.length === 0) stdout.write('No results found.\n');
  else {
    const style = styleFor(wantsColor({ isTerminal: stdout.isTerminal, env, noColor: !flags.color }));
    stdout.write(tableText(tableOf(found, stdout.isTerminal ? stdout.stream.columns : undefined), style));
  }
  return 0;
}

/** The project's store, then the user's. */
function storesHere(env: CliContext['env']) {
  const root = findProjectRoot('.');
  return [
    ...(root === undefined ? [] : [localStore('project', projectStoreRoot(root))]),
    localStore('global', join(locateMurmurHome(env).root, 'artifacts')),
  ];
}

/** Descriptions are cut to the screen; to a file they are written whole. */
function tableOf(found: readonly IndexEntry[], columns: number | undefined) {
  const titles = ['NAME', 'VERSION', 'RUNTIME', 'DESCRIPTION'];
  const rows = found.map((entry) => [entry.name, entry.version, roleOf(entry), entry.description ?? ''].map(oneLine));
  const before = [0, 1, 2].reduce((sum, at) => sum + 2 + widest([titles, ...rows].map((row) => row[at]!)), 0);
  const room = columns === undefined ? undefined : Math.max(12, columns - before);
  return { titles, rows: rows.map((row) => (room === undefined ? row : [...row.slice(0, 3), cut(row[3]!, room)])) };
}

/** `tool` says more to a person than `wasm`; an index file gives only one of the two. */
function roleOf({ runtime, artifactRuntime }: IndexEntry): string {
  return artifactRuntime ?? runtime;
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(displayWidth));
}

function json(entry: IndexEntry): Record<string, unknown> {
  const { name, version, runtime, artifactRuntime, description, tags, platforms } = entry;
  return {
    ...{ name, version, runtime },
    artifact_runtime: artifactRuntime ?? null,
    description: description ?? null,
    ...{ tags, platforms },
  };
}

import { dirname, join } from 'node:path';
import type { ArtifactMeta } from '../artifacts/describe.js';
import { type LocalStore, localStore, type StoreProblem, type StoreRow } from '../artifacts/local-store.js';
import { findProjectRoot, projectStoreRoot } from '../artifacts/stores.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import type { CliContext, ExitStatus } from './context.js';
import type { ListFlags } from './list.js';
import { type Table, tableText } from './list-table.js';
import { warningLine } from './output.js';
import { oneLine } from './safe-text.js';
import { styleFor, wantsColor } from './style.js';

const maxWarnings = 20;
const maxShown = 400;

/** One artifact of a store; a native one stands for all of its platforms. */
interface ListedArtifact {
  readonly scope: LocalStore['kind'];
  readonly meta: ArtifactMeta;
  readonly platforms: readonly string[];
  /** Of its interfaces, those that `--contract` asks for. */
  readonly contracts: readonly string[];
}

/** Prints what is installed. Reads the stores and changes nothing. */
export async function listArtifacts(flags: ListFlags, { stdout, stderr, env }: CliContext): Promise<ExitStatus> {
  const stores = storesOf(flags, env);
  const listed: ListedArtifact[] = [];
  for (const store of stores) {
    listed.push(...merge(store.kind, await store.list(), flags.contract));
    warnOf(await store.problems(), (message) => {
      const style = styleFor(wantsColor({ isTerminal: stderr.isTerminal, env, noColor: !flags.color }));
      stderr.write(`${warningLine({ code: '', message, origin: 'cli' }, style)}\n`);
    });
  }
  const style = styleFor(wantsColor({ isTerminal: stdout.isTerminal, env, noColor: !flags.color }));
  if (flags.json === true) stdout.write(`${JSON.stringify(listed.map(json))}\n`);
  else if (listed.length === 0) stdout.write('No artifacts found.\n');
  else stdout.write(tableText(tableOf(listed, flags), style));
  return 0;
}

/** A store full of other files gives a screen of warnings, not a wall. */
function warnOf(problems: readonly StoreProblem[], warn: (message: string) => void): void {
  for (const { path, reason } of problems.slice(0, maxWarnings)) warn(`${shortened(path)}: ${shortened(reason)}`);
  const more = problems.length - maxWarnings;
  if (more > 0) warn(`${more} more in ${dirname(problems.at(-1)!.path)} and around it`);
}

/** The end of a path says more than its beginning, and the beginning says where. */
function shortened(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown / 2)}...${text.slice(-maxShown / 2)}`;
}

function storesOf({ global, all }: ListFlags, env: CliContext['env']): LocalStore[] {
  const root = global === true ? undefined : findProjectRoot('.');
  const ofProject = root === undefined ? [] : [localStore('project', projectStoreRoot(root))];
  if (root !== undefined && all !== true) return ofProject;
  return [...ofProject, localStore('global', join(locateMurmurHome(env).root, 'artifacts'))];
}

/** One row per name, version and packaging type, in the order of the store. */
function merge(scope: LocalStore['kind'], rows: readonly StoreRow[], contract: string | undefined): ListedArtifact[] {
  const merged = new Map<string, ListedArtifact>();
  for (const { meta, platform } of rows) {
    const contracts = [...new Set([...meta.exports, ...meta.imports])].filter(
      (name) => contract !== undefined && name.startsWith(contract),
    );
    if (contract !== undefined && contracts.length === 0) continue;
    const key = JSON.stringify([meta.name, meta.version, meta.runtime]);
    const before = merged.get(key);
    const own = [...meta.platforms.map((parts) => parts.join('-')), ...(platform === undefined ? [] : [platform])];
    merged.set(key, {
      scope,
      meta: before?.meta ?? meta,
      platforms: [...new Set([...(before?.platforms ?? []), ...own])].sort(),
      contracts: [...new Set([...(before?.contracts ?? []), ...contracts])],
    });
  }
  return [...merged.values()];
}

function tableOf(listed: readonly ListedArtifact[], flags: ListFlags): Table {
  const hasScope = flags.all === true;
  const hasContracts = flags.contract !== undefined;
  const cells = (start: string, middle: readonly string[], end: string) => [
    ...(hasScope ? [start] : []),
    ...middle,
    ...(hasContracts ? [end] : []),
  ];
  return {
    titles: cells('SCOPE', ['NAME', 'VERSION', 'RUNTIME', 'PLATFORMS'], 'CONTRACTS'),
    rows: listed.map(({ scope, meta, platforms, contracts }) =>
      cells(
        scope,
        [meta.name, meta.version, meta.runtime, platforms.length === 0 ? '—' : platforms.join(', ')],
        contracts.join(', '),
      ).map(oneLine),
    ),
  };
}

function json({ scope, meta, platforms }: ListedArtifact): Record<string, unknown> {
  const { name, version, runtime, artifactRuntime, description, tags, imports, exports } = meta;
  return {
    scope,
    name,
    version,
    runtime,
    artifact_runtime: artifactRuntime,
    platforms,
    description: description ?? null,
    tags,
    imports,
    exports,
  };
}

/**
 * How two configuration files become one (spec/config.md section 3). Pure. A project may add sources, choose defaults, and ask for
 * more containment or a lower ceiling; it can never bring keys, lend folders, open names or lift a limit.
 */
import { strongestContainment } from '../manifest/containment.js';
import type { ConfigFile, EffectiveConfig } from './config-types.js';

/** The index of the default artifacts. */
const defaultIndexUrl = 'https://raw.githubusercontent.com/murmur-nexus/default-artifacts/main/artifacts-index.json';

export const emptyConfig: ConfigFile = {
  path: '',
  registry: { default: '', indexUrl: '', sources: [] },
  inference: { provider: '', model: '', endpoint: '' },
  credentials: new Map(),
  betaEnabled: [],
  spend: {},
  hostPaths: [],
  privateNames: [],
  inspect: false,
  warnings: [],
};

/** What counts for a user who has no global file. */
export const builtInConfig: ConfigFile = {
  ...emptyConfig,
  registry: {
    default: 'official',
    indexUrl: defaultIndexUrl,
    sources: [{ name: 'official', type: 'github', repo: 'murmur-nexus/default-artifacts' }],
  },
};

/**
 * The effective configuration. A global file counts in full: one without `registry.sources` is an empty chain, and the built-in
 * sources are taken only when there is no global file at all.
 */
export function mergeConfig(global: ConfigFile | undefined, project: ConfigFile | undefined): EffectiveConfig {
  const base = global ?? builtInConfig;
  const over = project ?? emptyConfig;
  const votes = [base.containment, over.containment].filter((vote) => vote !== undefined);
  const ceilings = [base, over].flatMap(({ spend }) => spend.machineTokensPerDay ?? []);
  const { apiKey } = base.inference;
  return {
    registry: {
      default: over.registry.default || base.registry.default,
      indexUrl: over.registry.indexUrl || base.registry.indexUrl || defaultIndexUrl,
      sources: union(base.registry.sources, over.registry.sources),
    },
    inference: {
      provider: over.inference.provider || base.inference.provider,
      model: over.inference.model || base.inference.model,
      endpoint: over.inference.endpoint || base.inference.endpoint,
      ...(apiKey === undefined ? {} : { apiKey }),
    },
    credentials: base.credentials,
    betaEnabled: [...new Set([...base.betaEnabled, ...over.betaEnabled])],
    ...(votes.length === 0 ? {} : { containment: strongestContainment(votes) }),
    spend: ceilings.length === 0 ? {} : { machineTokensPerDay: Math.min(...ceilings) },
    hostPaths: base.hostPaths,
    privateNames: base.privateNames,
    inspect: base.inspect,
    warnings: [...base.warnings, ...over.warnings, ...ignoredIn(over)],
  };
}

/** By name: the project's entry takes the place of the global one, new ones follow. */
function union<T extends { readonly name: string }>(base: readonly T[], over: readonly T[]): readonly T[] {
  const byName = new Map([...base, ...over].map((entry) => [entry.name, entry]));
  return [...byName.values()];
}

/** One warning for each thing a project file says that only the global one may. */
function ignoredIn(project: ConfigFile): string[] {
  const keys = [
    ...(project.credentials.size > 0 ? ['credentials'] : []),
    ...(project.hostPaths.length > 0 ? ['host_paths'] : []),
    ...(project.privateNames.length > 0 ? ['network.private_names'] : []),
    ...(project.inspect ? ['inspect'] : []),
  ];
  const key = project.inference.apiKey;
  return [
    ...keys.map((name) => `${name} in ${project.path} is ignored: only the global config may set it`),
    ...(key === undefined || isReference(key.reveal()) ? [] : [literalKeyWarning(project.path)]),
  ];
}

/** Whether `value` is `${NAME}`. A name that no variable has, such as `${my_key}`, is a literal. */
export function isReference(value: string): boolean {
  return /^\$\{[A-Z_][A-Z0-9_]*\}$/.test(value.trim());
}

export function literalKeyWarning(path: string): string {
  return `inference.api_key in ${path} is a key in a file that is shared with the project, and has no effect; set it with: mur config set -g inference.api_key <key>`;
}

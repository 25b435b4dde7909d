/** The effective configuration as a flat list, each value with the file that says it. Keys and tokens are never in it. */
import { mergeConfig } from './config-merge.js';
import { credentialName } from './config-parse.js';
import type { ConfigFile, EffectiveConfig, RegistrySource } from './config-types.js';

export type ConfigOrigin = 'built-in' | 'global' | 'project';

export interface ConfigEntry {
  /** As in `registry.default`. */
  readonly key: string;
  /** `true` for a secret: it is set, and that is all that is said. */
  readonly value: string | number | boolean | Readonly<Record<string, string>>;
  readonly isSecret?: true;
  readonly from: ConfigOrigin;
}

/** What is in effect, sorted by key. Values that nothing sets are left out. */
export function configEntries(global: ConfigFile | undefined, project: ConfigFile | undefined): ConfigEntry[] {
  const base: ConfigOrigin = global === undefined ? 'built-in' : 'global';
  const effective = flat(mergeConfig(global, project));
  const ofProject = new Map(project === undefined ? [] : flat(project).map(({ key, value }) => [key, value]));
  const ofGlobal = new Map(global === undefined ? [] : flat(global).map(({ key, value }) => [key, value]));
  return effective
    .map((entry): ConfigEntry => {
      const said = (values: ReadonlyMap<string, unknown>) =>
        !isGlobalOnly(entry.key) && JSON.stringify(values.get(entry.key)) === JSON.stringify(entry.value);
      if (ofProject.has(entry.key) && said(ofProject) && !(isVote(entry.key) && said(ofGlobal))) {
        return { ...entry, from: 'project' };
      }
      // The address of the index has a default of its own, also beside a global file.
      const isDefault = entry.key === 'registry.index_url' && !ofGlobal.has(entry.key);
      return { ...entry, from: isDefault ? 'built-in' : base };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

type Flat = Omit<ConfigEntry, 'from'>;

function flat(config: ConfigFile | EffectiveConfig): Flat[] {
  const { registry, inference, containment, spend } = config;
  const text = (key: string, value: string | undefined): Flat[] => (value ? [{ key, value }] : []);
  const secret = (key: string, value: unknown): Flat[] =>
    value === undefined ? [] : [{ key, value: true, isSecret: true }];
  return [
    ...text('registry.default', registry.default),
    ...text('registry.index_url', withoutPassword(registry.indexUrl)),
    ...registry.sources.map((source): Flat => ({ key: `registry.sources.${source.name}`, value: sourceValue(source) })),
    ...text('inference.provider', inference.provider),
    ...text('inference.model', inference.model),
    ...text('inference.endpoint', withoutPassword(inference.endpoint)),
    ...secret('inference.api_key', inference.apiKey),
    // A name that can never be used may be a key that was pasted into the wrong place.
    ...[...config.credentials]
      .filter(([name]) => credentialName.test(name))
      .flatMap(([name, value]) => secret(`credentials.${name}`, value)),
    ...config.betaEnabled.map((name): Flat => ({ key: `beta.enabled.${name}`, value: true })),
    ...text('containment', containment),
    ...(spend.machineTokensPerDay === undefined
      ? []
      : [{ key: 'spend.machine_tokens_per_day', value: spend.machineTokensPerDay }]),
    ...config.hostPaths.map(
      ({ path, access }, index): Flat => ({
        key: `host_paths.${index}`,
        value: { path: path ?? '', access: access ?? '' },
      }),
    ),
    ...(config.privateNames.length === 0
      ? []
      : [{ key: 'network.private_names', value: config.privateNames.join(' ') }]),
    ...(config.inspect ? [{ key: 'inspect', value: true }] : []),
  ];
}

function sourceValue({ type, repo, url, token }: RegistrySource): Readonly<Record<string, string>> {
  return {
    type,
    ...(repo === undefined ? {} : { repo: withoutPassword(repo) }),
    ...(url === undefined ? {} : { url: withoutPassword(url) }),
    ...(token === undefined ? {} : { token: 'set' }),
  };
}

/** An address, without what stands before its `@`: a name and a password, or a token. */
function withoutPassword(address: string): string {
  return address.replace(/^([a-z+]*:\/\/)?[^/?#]*@/i, '$1');
}

const globalOnly = /^(credentials|host_paths|network)\b|^inference\.api_key$|^inspect$/;
const isGlobalOnly = (key: string): boolean => globalOnly.test(key);
/** Keys both files have a say in: the global file counts as the one that said it when it says the same. */
const isVote = (key: string): boolean => /^(containment|spend|beta)\b/.test(key);

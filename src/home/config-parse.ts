/**
 * Config text to a typed value, or `E-IO-003` with path, line, column and what kind of slip it is. A line of this file may hold a
 * key, also one that was pasted into the wrong place, so no message quotes a value, and of keys only those that look like ours.
 */
import { type ErrorCode, MurError, Secret } from '../errors/index.js';
import { dotted, Report } from '../manifest/report.js';
import { shapeProblem } from '../manifest/shape.js';
import type { Path, Tree } from '../manifest/tree.js';
import { reportUnknownKeys } from '../manifest/unknown-keys.js';
import { parseYaml } from '../manifest/yaml.js';
import { configShape, type RawConfig } from './config-shape.js';
import type { ConfigFile, DeclaredHostPath, RegistrySource } from './config-types.js';

/** What a credential may be called: what `${NAME}` in a manifest can name. */
export const credentialName = /^[A-Z_][A-Z0-9_]*$/;

/** Every key of the schema looks so, and so does a slip of the pen. A credential hardly does. */
const shownKey = /^[a-z_]{1,32}$/;

type Fail = (path: Path, why: string, code?: ErrorCode) => MurError;

/** The typed form of a config text. `path` is for messages. */
export function parseConfig(text: string, path: string): ConfigFile {
  const parsed = parseYaml(text, () => false);
  if (!parsed.ok) {
    const at = parsed.at === undefined ? '' : `line ${parsed.at.line}, column ${parsed.at.column}: `;
    // Its hint is left out: it quotes the reference, which here may be a key.
    throw new MurError('E-IO-003', `failed to parse ${path}: ${at}${withoutText(parsed.detail)}`);
  }
  const { tree } = parsed;
  const fail: Fail = (key, why, code = 'E-IO-003') => {
    const at = tree.positionOf(key);
    const where = at === undefined ? '' : `line ${at.line}, column ${at.column}: `;
    return new MurError(
      code,
      `failed to parse ${path}: ${where}${key.length === 0 ? 'the file' : dotted(key.map(shown))}: ${why}`,
    );
  };
  const raw = shaped(tree, fail);
  return {
    path,
    registry: {
      default: raw.registry?.default?.trim() ?? '',
      indexUrl: raw.registry?.index_url?.trim() ?? '',
      sources: (raw.registry?.sources ?? []).map((source, index) => readSource(source, index, fail)),
    },
    inference: {
      provider: raw.inference?.provider?.trim() ?? '',
      model: raw.inference?.model?.trim() ?? '',
      endpoint: raw.inference?.endpoint?.trim() ?? '',
      ...secret('apiKey', raw.inference?.api_key),
    },
    credentials: new Map(Object.entries(raw.credentials ?? {}).map(([name, value]) => [name, secretOf(value)])),
    betaEnabled: (raw.beta?.enabled ?? []).map((name) => name.trim()).filter((name) => name !== ''),
    ...(raw.containment ? { containment: raw.containment } : {}),
    spend: readSpend(raw, fail),
    hostPaths: (raw.host_paths ?? []).map(
      ({ path, access }): DeclaredHostPath => ({
        ...(path === null || path === undefined ? {} : { path }),
        ...(access ? { access } : {}),
      }),
    ),
    privateNames: (raw.network?.private_names ?? [])
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
    inspect: raw.inspect ?? false,
    warnings: [...unknownKeys(tree, path, fail), ...unusableNames(raw, tree, path)],
  };
}

function shown(step: string | number): string | number {
  return typeof step === 'number' || shownKey.test(step) ? step : '<key>';
}

/** What the parser and the shapes say of manifests, without what they quote of the file. */
function withoutText(message: string): string {
  return message
    .replace(/^duplicate key '(.*)'$/s, (whole, key: string) => (shownKey.test(key) ? whole : 'duplicate key'))
    .replace(/^%YAML .* is not supported$/s, 'this %YAML version is not supported')
    .replace(/^unknown value '.*'; expected/s, 'unknown value; expected')
    .replace(/^-?\d+ is beyond/, 'it is beyond');
}

/** The document, once every value has the type the schema says. An empty file is an empty mapping. */
function shaped(tree: Tree, fail: Fail): RawConfig {
  const root = tree.root ?? {};
  const problem = shapeProblem(configShape, root);
  if (problem === undefined) return root as RawConfig;
  const { path, message } = problem;
  const isHostPath = path[0] === 'host_paths' && path.length > 1;
  throw fail(path, withoutText(message), isHostPath ? 'E-CAP-901' : 'E-IO-003');
}

type RawSource = NonNullable<NonNullable<RawConfig['registry']>['sources']>[number];

function readSource(raw: RawSource, index: number, fail: Fail): RegistrySource {
  const at: Path = ['registry', 'sources', index];
  const name = raw.name?.trim() ?? '';
  if (name === '') throw fail(at, 'a source needs a name');
  return {
    name,
    type: 'github',
    ...(raw.repo ? { repo: raw.repo.trim() } : {}),
    ...(raw.url ? { url: raw.url.trim() } : {}),
    ...secret('token', raw.token),
  };
}

function readSpend(raw: RawConfig, fail: Fail): ConfigFile['spend'] {
  const ceiling = raw.spend?.machine_tokens_per_day ?? undefined;
  if (ceiling === undefined) return {};
  if (ceiling <= 0) throw fail(['spend', 'machine_tokens_per_day'], 'it is not above zero');
  return { machineTokensPerDay: ceiling };
}

/** A warning per key that has no meaning here. In an entry of `host_paths`, which grants something, it is an error. */
function unknownKeys(tree: Tree, path: string, fail: Fail): string[] {
  const report = new Report(path, tree);
  reportUnknownKeys(configShape, report, undefined, (key) => (shownKey.test(key) ? `'${key}'` : ''));
  (((tree.root ?? {}) as RawConfig).host_paths ?? []).forEach((entry, index) => {
    const unknown = tree.keysOf(entry).find((key) => key !== 'path' && key !== 'access');
    if (unknown === undefined) return;
    throw fail(['host_paths', index, unknown], 'unknown key; an entry has path and access', 'E-CAP-901');
  });
  return report.warnings.map(({ message, line, column }) => `${path}, line ${line}, column ${column}: ${message}`);
}

/** Never shows the name: what cannot be a name may be a key somebody pasted into the wrong place. */
function unusableNames(raw: RawConfig, tree: Tree, path: string): string[] {
  const names = Object.keys(raw.credentials ?? {}).filter((name) => !credentialName.test(name));
  return names.map((name) => {
    const at = tree.keyPositionOf(['credentials', name]);
    return `${path}, line ${at?.line}, column ${at?.column}: this entry of credentials can never be used: its name is not of capital letters, digits and _`;
  });
}

function secretOf(value: string | null | undefined): Secret | undefined {
  const text = value?.trim() ?? '';
  return text === '' ? undefined : new Secret(text);
}

function secret<K extends string>(key: K, value: string | null | undefined): { readonly [P in K]?: Secret } {
  const found = secretOf(value);
  return (found === undefined ? {} : { [key]: found }) as { readonly [P in K]?: Secret };
}

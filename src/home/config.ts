/**
 * The operator's configuration files (spec/config.md), the part a run reads: credentials, names that may be private, the
 * containment vote. Not the manifest and not where files lie (murmur-home.ts). Read next: credential.ts (keys while running).
 */
import { realpathSync } from 'node:fs';
import { MurError, reasonOf, Secret } from '../errors/index.js';
import {
  type ContainmentClass,
  containmentClasses,
  isContainmentClass,
  isMissing,
  readRegularText,
  strongestContainment,
} from '../manifest/index.js';
import { kindOf } from '../manifest/shape.js';
import { parseYaml } from '../manifest/yaml.js';

/** Far above any real file. */
export const maxConfigBytes = 256 * 1024;

/** What one file says. Keys of other commands are passed over. */
export interface ConfigFile {
  /** By name; `undefined` for one that is written and empty, which counts as absent. */
  readonly credentials: ReadonlyMap<string, Secret | undefined>;
  readonly privateNames: readonly string[];
  /** Serve live inspection on every door. */
  readonly inspect: boolean;
  readonly containment?: ContainmentClass;
}

export interface Config extends ConfigFile {
  /** What the operator should hear: keys of the project file that only the global file may hold. */
  readonly warnings: readonly string[];
}

const empty: ConfigFile = { credentials: new Map(), privateNames: [], inspect: false };

/**
 * The effective configuration: the global file, under the project's. A file that is missing is empty; one that cannot be
 * used is an error (`E-IO-003`), never silently skipped. No message holds a value of `credentials`.
 */
export function readConfig(files: { readonly global: string; readonly project?: string }): Config {
  const global = readConfigFile(files.global);
  const project =
    files.project === undefined || isSameFile(files.project, files.global) ? empty : readConfigFile(files.project);
  return mergeConfig(global, project, files.project ?? '');
}

/** The merge rules of spec/config.md section 3: a project may raise containment and may not bring keys or private names. */
export function mergeConfig(global: ConfigFile, project: ConfigFile, projectPath: string): Config {
  const ignored = [
    ...(project.credentials.size > 0 ? ['credentials'] : []),
    ...(project.privateNames.length > 0 ? ['network.private_names'] : []),
    ...(project.inspect ? ['inspect'] : []),
  ];
  const votes = [global.containment, project.containment].filter((vote) => vote !== undefined);
  return {
    credentials: global.credentials,
    privateNames: global.privateNames,
    inspect: global.inspect,
    ...(votes.length === 0 ? {} : { containment: strongestContainment(votes) }),
    warnings: ignored.map((key) => `${key} in ${projectPath} is ignored: only the global config may set it`),
  };
}

/** One file, checked. */
export function readConfigFile(path: string): ConfigFile {
  let text: string;
  try {
    text = readRegularText(path, maxConfigBytes);
  } catch (error) {
    if (isMissing(error)) return empty;
    throw new MurError('E-IO-003', `failed to read ${path}: ${reasonOf(error)}`, { cause: error });
  }
  return parseConfig(text, path);
}

type Block = Readonly<Record<string, unknown>>;

/** The typed form of a config text. Throws `E-IO-003` with the path and the key. */
export function parseConfig(text: string, path: string): ConfigFile {
  const fail = (why: string) => new MurError('E-IO-003', `failed to parse ${path}: ${why}`);
  const parsed = parseYaml(text, () => false);
  if (!parsed.ok) {
    const at = parsed.at === undefined ? '' : `line ${parsed.at.line}, column ${parsed.at.column}: `;
    throw fail(`${at}${parsed.detail}`);
  }
  const mapping = (value: unknown, key: string): Block => {
    if (value === undefined || value === null) return {};
    if (kindOf(value) !== 'mapping') throw fail(`${key}: expected mapping, got ${kindOf(value)}`);
    return value as Block;
  };
  const root = mapping(parsed.tree.root, 'the file');
  const containment = root.containment ?? undefined;
  if (containment !== undefined && (typeof containment !== 'string' || !isContainmentClass(containment))) {
    throw fail(`containment: unknown value '${containment}'; expected one of: ${containmentClasses.join(', ')}`);
  }
  const names = mapping(root.network, 'network').private_names ?? [];
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    throw fail('network.private_names: expected sequence of strings');
  }
  const inspect = root.inspect ?? false;
  if (typeof inspect !== 'boolean') throw fail(`inspect: expected boolean, got ${kindOf(inspect)}`);
  return {
    inspect,
    credentials: readCredentials(mapping(root.credentials, 'credentials'), fail),
    privateNames: names.map((name) => name.trim().toLowerCase()).filter((name) => name !== ''),
    ...(containment === undefined ? {} : { containment }),
  };
}

function readCredentials(block: Block, fail: (why: string) => MurError): ConfigFile['credentials'] {
  const credentials = new Map<string, Secret | undefined>();
  for (const [name, value] of Object.entries(block)) {
    if (value !== null && typeof value !== 'string') {
      throw fail(`credentials.${name}: expected string, got ${kindOf(value)}`);
    }
    const key = value?.trim() ?? '';
    credentials.set(name, key === '' ? undefined : new Secret(key));
  }
  return credentials;
}

function isSameFile(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return a === b;
  }
}

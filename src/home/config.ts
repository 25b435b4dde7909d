/**
 * The operator's configuration files (spec/config.md). Not the manifest and not where session files lie (murmur-home.ts).
 * Read next: config-shape.ts (the keys), config-types.ts (what they become), config-merge.ts (who may say what), config-edit.ts
 * (how `mur config set` changes a file), credential.ts (keys while a session runs).
 */
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MurError, reasonOf, type Secret } from '../errors/index.js';
import { isMissing, readRegularText } from '../manifest/regular-file.js';
import { mergeConfig } from './config-merge.js';
import { parseConfig } from './config-parse.js';
import type { ConfigFile, EffectiveConfig } from './config-types.js';
import { locateMurmurHome } from './murmur-home.js';

export { mergeConfig } from './config-merge.js';
export { parseConfig } from './config-parse.js';
export type { ConfigFile, EffectiveConfig, RegistrySource } from './config-types.js';

/** Far above any real file. */
export const maxConfigBytes = 256 * 1024;

/** The two files. The project's is looked for in the working folder only. */
export interface ConfigPaths {
  readonly global: string;
  readonly project: string;
}

/** Where the configuration of a command started with `env` in `folder` lies. Touches nothing. */
export function locateConfig(env: Readonly<Record<string, string | undefined>>, folder = '.'): ConfigPaths {
  return {
    global: join(locateMurmurHome(env).root, 'config.yaml'),
    project: resolve(folder, '.murmur', 'config.yaml'),
  };
}

/**
 * The effective configuration: the global file, under the project's. A file that cannot be used is an error (`E-IO-003`), never
 * silently skipped.
 */
export function readConfig(files: { readonly global: string; readonly project?: string }): EffectiveConfig {
  const isProject = files.project !== undefined && !isSameFile(files.project, files.global);
  return mergeConfig(readConfigFile(files.global), isProject ? readConfigFile(files.project!) : undefined);
}

/** One file, checked; `undefined` when it does not exist. */
export function readConfigFile(path: string): ConfigFile | undefined {
  const text = readConfigText(path);
  return text === undefined ? undefined : parseConfig(text, path);
}

/** The text of a config file; `undefined` when it does not exist. */
export function readConfigText(path: string): string | undefined {
  try {
    return readRegularText(path, maxConfigBytes);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new MurError('E-IO-003', `failed to read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Everything in a file that must never be shown: keys, and tokens of sources. */
export function secretsIn(file: ConfigFile | undefined): readonly Secret[] {
  if (file === undefined) return [];
  const { credentials, inference, registry } = file;
  const found = [...credentials.values(), inference.apiKey, ...registry.sources.map(({ token }) => token)];
  return found.filter((secret) => secret !== undefined);
}

function isSameFile(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return a === b;
  }
}

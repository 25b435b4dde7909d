import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { MurError, reasonOf } from '../errors/index.js';
import { isMissing, readRegularText } from '../manifest/regular-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

const maxEnvFileBytes = 1024 * 1024;

/**
 * `env` with the `.env` of the project laid under it: a variable that is set already always wins (spec/config.md section 9).
 * The project is the nearest folder from `manifestDir` upwards that holds a `murmur.yaml`.
 */
export function withEnvFile(env: Environment, manifestDir: string): Environment {
  const file = readEnvFile(manifestDir);
  return file === undefined ? env : { ...Object.fromEntries(file.variables), ...env };
}

/** The `.env` that a run of a manifest in `manifestDir` takes; `undefined` when there is none. */
export function readEnvFile(
  manifestDir: string,
): { readonly path: string; readonly variables: ReadonlyMap<string, string> } | undefined {
  const folder = projectFolder(manifestDir);
  if (folder === undefined) return undefined;
  const path = join(folder, '.env');
  let text: string;
  try {
    text = readRegularText(path, maxEnvFileBytes);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new MurError('E-IO-003', `failed to read .env at ${path}: ${reasonOf(error)}`, { cause: error });
  }
  return { path, variables: parseEnvFile(text, path) };
}

/**
 * The variables of a `.env` text, later lines winning: `KEY=VALUE`, `#` comments, one pair of matching quotes removed. No
 * `export`, interpolation, escapes or inline comments. Messages name a line, never a value.
 */
export function parseEnvFile(text: string, path = '.env'): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const fail = (why: string) =>
      new MurError('E-IO-003', `invalid .env entry at line ${index + 1}: ${why}`, {
        hint: `correct line ${index + 1} of ${path}, or remove it`,
        details: { path, line: index + 1 },
      });
    const at = line.indexOf('=');
    if (at === -1) throw fail('expected KEY=VALUE');
    const name = line.slice(0, at).trim();
    if (name === '') throw fail('empty variable name');
    if (line.includes('\0')) throw fail('a variable cannot hold a NUL character');
    variables.set(name, unquote(line.slice(at + 1).trim()));
  }
  return variables;
}

function unquote(value: string): string {
  const quote = value[0];
  const isQuoted = value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}

function projectFolder(manifestDir: string): string | undefined {
  let folder = resolve(manifestDir);
  while (!existsSync(join(folder, 'murmur.yaml'))) {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return folder;
}

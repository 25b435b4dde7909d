import { existsSync } from 'node:fs';
import { type ConfigFile, locateConfig, mergeConfig, readConfigFile } from '../home/config.js';
import { type ConfigEntry, configEntries } from '../home/config-list.js';
import type { ConfigShowFlags } from './config.js';
import { settableKeys, unsupported } from './config-keys.js';
import type { CliContext, ExitStatus } from './context.js';
import { warningLine } from './output.js';
import { oneLine } from './safe-text.js';
import { styleFor, wantsColor } from './style.js';

/** The keys beside the settable ones whose value is one word. */
const otherKeys = ['containment', 'spend.machine_tokens_per_day', 'network.private_names', 'inspect'];
const families = /^(credentials|registry\.sources|beta\.enabled|host_paths)\../;

/** `mur config get`. Prints nothing and ends 1 when nothing sets the value. */
export async function getConfig(
  flags: ConfigShowFlags & { readonly key: string },
  context: CliContext,
): Promise<ExitStatus> {
  const known = [...settableKeys, ...otherKeys];
  if (!known.includes(flags.key) && !families.test(flags.key)) throw unsupported(flags.key, known);
  const entry = entriesNow(flags, context).find(({ key }) => key === flags.key);
  if (flags.json === true) {
    context.stdout.write(`${JSON.stringify(entry === undefined ? { key: flags.key, value: null } : jsonOf(entry))}\n`);
  } else if (entry === undefined) context.stderr.write(`${flags.key} is not set\n`);
  else context.stdout.write(`${shown(entry)}\n`);
  return entry === undefined ? 1 : 0;
}

/** `mur config list`. */
export async function listConfig(flags: ConfigShowFlags, context: CliContext): Promise<ExitStatus> {
  const { stdout, env } = context;
  const entries = entriesNow(flags, context);
  if (flags.json === true) {
    stdout.write(`${JSON.stringify(entries.map(jsonOf))}\n`);
    return 0;
  }
  const style = styleFor(wantsColor({ isTerminal: stdout.isTerminal, env, noColor: !flags.color }));
  const rows = entries.map((entry) => [oneLine(entry.key), shown(entry), entry.from] as const);
  const widest = (column: 0 | 1) => Math.max(0, ...rows.map((row) => row[column].length));
  for (const [key, value, from] of rows) {
    stdout.write(`${key.padEnd(widest(0))}  ${style.bold(value.padEnd(widest(1)))}  ${style.dim(from)}\n`);
  }
  return 0;
}

/** `mur config path`. */
export async function showConfigPaths(flags: ConfigShowFlags, { stdout, env }: CliContext): Promise<ExitStatus> {
  const { global, project } = locateConfig(env);
  const places = flags.global === true ? { global } : { global, project };
  if (flags.json === true) {
    const facts = Object.entries(places).map(([name, path]) => [name, { path, exists: existsSync(path) }]);
    stdout.write(`${JSON.stringify(Object.fromEntries(facts))}\n`);
  } else if (flags.global === true) stdout.write(`${global}\n`);
  else {
    for (const [name, path] of Object.entries(places)) {
      stdout.write(`${name.padEnd(7)}  ${oneLine(path)}${existsSync(path) ? '' : '  (does not exist)'}\n`);
    }
  }
  return 0;
}

/** What is in effect here. Warnings of the files go to stderr. */
function entriesNow({ color }: ConfigShowFlags, { stderr, env }: CliContext): ConfigEntry[] {
  const paths = locateConfig(env);
  const global = readConfigFile(paths.global);
  const project: ConfigFile | undefined = paths.project === paths.global ? undefined : readConfigFile(paths.project);
  const style = styleFor(wantsColor({ isTerminal: stderr.isTerminal, env, noColor: !color }));
  for (const message of mergeConfig(global, project).warnings) {
    stderr.write(`${warningLine({ code: '', message, origin: 'cli' }, style)}\n`);
  }
  return configEntries(global, project);
}

function shown({ value, isSecret }: ConfigEntry): string {
  if (isSecret) return 'set';
  if (typeof value !== 'object') return oneLine(String(value));
  return oneLine(
    Object.entries(value)
      .map(([name, text]) => `${name}=${text}`)
      .join(' '),
  );
}

function jsonOf({ key, value, isSecret, from }: ConfigEntry): Record<string, unknown> {
  return isSecret ? { key, set: true, from } : { key, value, from };
}

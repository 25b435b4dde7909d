import type { Tier } from '../containment/tier.js';
import { type CapabilityPolicy, isRuntimeVariable, stripRule } from '../policy/index.js';

/** Host variables every command gets when they are set (spec/shell.md 4.2). */
export const baselineNames: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'CARGO_HOME',
  'RUSTUP_HOME',
  'TERM',
];

export type Variable = readonly [name: string, value: string];

/**
 * Variables that commands on `tier` have unless something else sets them. Where they see the host's folders and may not read them,
 * git and OpenSSL would stop at their file in `/etc`; without one that is absent, as in a composed root, they go on.
 */
export function defaultVariables(tier: Tier): readonly Variable[] {
  return tier === 'full'
    ? [
        ['GIT_CONFIG_NOSYSTEM', '1'],
        ['OPENSSL_CONF', '/dev/null'],
      ]
    : [];
}

export interface EnvironmentRequest {
  readonly policy: Pick<CapabilityPolicy, 'shellBaselineEnv' | 'shellStripEnv'>;
  /** The environment of the runtime. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Set unless anything else sets them. */
  readonly defaults?: readonly Variable[];
  readonly overrides?: readonly Variable[];
  readonly folders: CommandFolders;
  /** Of a native tool. */
  readonly settings?: { readonly config?: string; readonly stateDir?: string };
}

/** Folders as the command sees them. */
export interface CommandFolders {
  readonly home: string;
  readonly temp: string;
  readonly runtime: string;
  readonly records: string;
}

/**
 * The whole environment of one command (spec/shell.md 4.1): built new, nothing inherited. Later steps win: the runtime's
 * defaults, the host's baseline, the overrides, what the manifest adds of the host, minus credentials and `strip_env`, and then the runtime's own, which nothing removes
 * or replaces. `baseline_env` brings none of the variables the runtime sets or was started with: a manifest could otherwise ask for
 * the token of the door.
 *
 * Does not stop: a secret in a variable whose name reads like none.
 */
export function commandEnvironment(request: EnvironmentRequest): Record<string, string> {
  const { policy, hostEnv, defaults = [], overrides = [], folders, settings = {} } = request;
  const values = new Map<string, string>(defaults);
  const copy = (name: string): void => {
    const value = Object.hasOwn(hostEnv, name) ? hostEnv[name] : undefined;
    if (value !== undefined) values.set(name, value);
  };
  baselineNames.forEach(copy);
  for (const [name, value] of overrides) values.set(name, value);
  policy.shellBaselineEnv.filter((name) => !isRuntimeVariable(name)).forEach(copy);
  for (const name of [...values.keys()]) if (stripRule(name, policy.shellStripEnv) !== undefined) values.delete(name);
  for (const name of ['HOME', 'USERPROFILE']) values.set(name, folders.home);
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) values.set(name, folders.temp);
  values.set('MURMUR_RUNTIME_DIR', folders.runtime);
  values.set('MURMUR_RECORDS_DIR', folders.records);
  // An override must not pose as what only the operator's entry can give.
  values.delete('MURMUR_ARTIFACT_CONFIG');
  values.delete('MURMUR_STATE_DIR');
  if (settings.config !== undefined) values.set('MURMUR_ARTIFACT_CONFIG', settings.config);
  if (settings.stateDir !== undefined) values.set('MURMUR_STATE_DIR', settings.stateDir);
  return Object.fromEntries(values);
}

/** Why a guest's variables cannot be handed to a process; `undefined` when they can. */
export function overridesProblem(overrides: readonly Variable[]): string | undefined {
  for (const [name, value] of overrides) {
    if (name === '' || /[=\0]/.test(name)) return `${JSON.stringify(name)} is no name of a variable`;
    if (value.includes('\0')) return `the value of variable '${name}' holds a NUL byte`;
  }
  return undefined;
}

import { statSync } from 'node:fs';
import { MurError, reasonOf, Secret, toMurError } from '../errors/index.js';
import { type ApiKey, isMissing, readRegularText } from '../manifest/index.js';
import { maxConfigBytes, parseConfig } from './config.js';

/**
 * Where a gateway's key comes from (spec/spend.md section 4.4). The same shape as src/wasm/egress expects. Lives on the main
 * thread only; the key is a `Secret` from the file to the one header it is written into.
 *
 * Does not stop: another process of the same user reading the config file or this process's environment.
 */
export interface CredentialSource {
  readonly source: 'config' | 'environment' | 'manifest' | 'keyless';
  /** The key for the next request; a `config` source reads its file. */
  current(): Secret | undefined;
  /** The key after the upstream refused the current one. */
  reread(): Secret | undefined;
}

/** What happened to a key while the session runs. Never a value, a length or a hash. */
export type CredentialChange =
  | { readonly type: 'rotated'; readonly trigger: 'file_changed' | 'rejection' }
  | { readonly type: 'unreadable'; readonly reason: UnreadableReason };

export type UnreadableReason = 'missing' | 'unreadable' | 'unparseable' | 'no_entry' | 'empty_entry';

export interface CredentialContext {
  /** The artifact whose gateway it is, for messages. */
  readonly artifact: string;
  /** The launching environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The global config file. Absent: the environment alone is asked. */
  readonly configFile?: string;
  onChange?(change: CredentialChange): void;
}

export interface CredentialWarning {
  readonly code: 'W-SEC-027' | 'W-SEC-028';
  readonly message: string;
}

/**
 * The source of one gateway's key: the config file, else the environment, else what the manifest says in full. `undefined`
 * is a keyless gateway. Throws `E-MAN-003` when a reference is found nowhere, naming both places it was looked for.
 */
export function credentialSource(
  apiKey: ApiKey | undefined,
  context: CredentialContext,
): { readonly credential: CredentialSource; readonly warnings: readonly CredentialWarning[] } {
  if (apiKey === undefined) return { credential: fixed('keyless', undefined), warnings: [] };
  const { artifact } = context;
  if (apiKey.kind === 'literal') {
    const message = `artifact '${artifact}': gateway.api_key is written in the manifest; it is read once, and anyone who reads the manifest has it`;
    return { credential: fixed('manifest', apiKey.secret), warnings: [{ code: 'W-SEC-027', message }] };
  }
  return lookUp(apiKey.name, context);
}

function lookUp(name: string, context: CredentialContext): ReturnType<typeof credentialSource> {
  const { artifact, configFile } = context;
  if (configFile !== undefined) {
    const reading = readEntry(configFile, name);
    if (reading.kind === 'failed') throw reading.error;
    if (reading.kind === 'found') {
      const credential = new ConfigCredential(configFile, name, reading.secret, (change) => context.onChange?.(change));
      return { credential, warnings: sharedFileWarnings(configFile) };
    }
  }
  const value = Object.hasOwn(context.env, name) ? context.env[name]?.trim() : undefined;
  if (value !== undefined && value !== '') {
    const message = `artifact '${artifact}': the key comes from the environment variable ${name}; it is read once, so a new value needs a new run`;
    return { credential: fixed('environment', new Secret(value)), warnings: [{ code: 'W-SEC-027', message }] };
  }
  const file = configFile ?? '~/.murmur/config.yaml';
  throw new MurError(
    'E-MAN-003',
    `artifact '${artifact}': gateway.api_key names ${name}, which is set neither as credentials.${name} in ${file} nor as the environment variable ${name}`,
    { hint: `add "${name}: <key>" under credentials: in ${file}, or export ${name}` },
  );
}

function fixed(source: CredentialSource['source'], secret: Secret | undefined): CredentialSource {
  return { source, current: () => secret, reread: () => secret };
}

type Reading =
  | { readonly kind: 'found'; readonly secret: Secret }
  | { readonly kind: 'absent'; readonly reason: UnreadableReason }
  | { readonly kind: 'failed'; readonly reason: UnreadableReason; readonly error: MurError };

function readEntry(path: string, name: string): Reading {
  let text: string;
  try {
    text = readRegularText(path, maxConfigBytes);
  } catch (error) {
    if (isMissing(error)) return { kind: 'absent', reason: 'missing' };
    const why = new MurError('E-IO-003', `failed to read ${path}: ${reasonOf(error)}`, { cause: error });
    return { kind: 'failed', reason: 'unreadable', error: why };
  }
  try {
    const { credentials } = parseConfig(text, path);
    const secret = credentials.get(name);
    if (secret !== undefined) return { kind: 'found', secret };
    return { kind: 'absent', reason: credentials.has(name) ? 'empty_entry' : 'no_entry' };
  } catch (error) {
    return { kind: 'failed', reason: 'unparseable', error: toMurError(error) };
  }
}

/**
 * A key that follows its file: the content is read before every use, because an edit may leave size and time as they were. A
 * file that lost the key keeps the last one in use and is reported once per state of the file.
 */
class ConfigCredential implements CredentialSource {
  readonly source = 'config';
  #reported = '';

  constructor(
    readonly path: string,
    readonly name: string,
    private held: Secret,
    private readonly onChange: (change: CredentialChange) => void,
  ) {}

  current(): Secret {
    return this.#read('file_changed');
  }

  reread(): Secret {
    return this.#read('rejection');
  }

  #read(trigger: 'file_changed' | 'rejection'): Secret {
    const reading = readEntry(this.path, this.name);
    if (reading.kind !== 'found') {
      this.#report(reading.reason);
      return this.held;
    }
    this.#reported = '';
    if (reading.secret.reveal() !== this.held.reveal()) {
      this.held = reading.secret;
      this.onChange({ type: 'rotated', trigger });
    }
    return this.held;
  }

  #report(reason: UnreadableReason): void {
    const state = `${reason} ${fileStamp(this.path)}`;
    if (state === this.#reported) return;
    this.#reported = state;
    this.onChange({ type: 'unreadable', reason });
  }
}

function fileStamp(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}

function sharedFileWarnings(path: string): readonly CredentialWarning[] {
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return [];
  const message = `${path} holds keys and its mode ${mode.toString(8).padStart(4, '0')} lets others of this machine in; run chmod 600 on it`;
  return [{ code: 'W-SEC-028', message }];
}

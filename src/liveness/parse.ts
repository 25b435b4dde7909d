import { isUtf8 } from 'node:buffer';
import { Secret } from '../errors/index.js';
import { isId } from '../supervise/ids.js';
import type { ProcessIdentity, RunningRecord } from './types.js';

const maxUint32 = 0xffff_ffff;

/**
 * The record in the text of one file; `undefined` when a key is missing or has another type, which makes the whole record
 * unverifiable. Unknown keys are ignored, and an optional key that is `null` counts as absent. Tokens come out as `Secret`.
 */
export function parseRecord(text: string | Buffer): RunningRecord | undefined {
  if (typeof text !== 'string' && !isUtf8(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text.toString());
  } catch {
    return undefined;
  }
  return isObject(value) ? recordOf(value) : undefined;
}

type Json = Readonly<Record<string, unknown>>;

function recordOf(value: Json): RunningRecord | undefined {
  const { session_id, url, pid, process_start, capsule_name, capsule_version, workdir, outlives_launcher, started_at } =
    value;
  if (
    !isText(session_id) ||
    !isText(url) ||
    !isUint32(pid) ||
    !isText(process_start) ||
    !isText(capsule_name) ||
    !isText(capsule_version) ||
    !isText(workdir) ||
    typeof outlives_launcher !== 'boolean' ||
    !isText(started_at)
  ) {
    return undefined;
  }
  const extra = extraOf(value);
  return (
    extra && {
      session_id,
      url,
      pid,
      process_start,
      capsule_name,
      capsule_version,
      workdir,
      outlives_launcher,
      started_at,
      ...extra,
    }
  );
}

type Extra = Pick<
  RunningRecord,
  'door_token' | 'credentials' | 'formation_id' | 'formation_lifeline' | 'formation_launcher' | 'spawned_by'
>;

/** The optional keys that apply; `undefined` when one of them is malformed. */
function extraOf(value: Json): Extra | undefined {
  const { door_token, credentials, formation_id, formation_lifeline, formation_launcher, spawned_by } = value;
  const tokens = secretsOf(credentials ?? {});
  const launcher = identityOf(formation_launcher);
  if (
    !isAbsentOr(door_token, isText) ||
    tokens === undefined ||
    !isAbsentOr(formation_id, isFormationId) ||
    !isAbsentOr(formation_lifeline, isBoolean) ||
    launcher === undefined ||
    !isAbsentOr(spawned_by, isText)
  ) {
    return undefined;
  }
  return {
    ...(isText(door_token) && { door_token: new Secret(door_token) }),
    ...(Object.keys(tokens).length > 0 && { credentials: tokens }),
    ...(isText(formation_id) && { formation_id }),
    ...(formation_lifeline === true && { formation_lifeline }),
    ...(launcher !== null && { formation_launcher: launcher }),
    ...(isText(spawned_by) && { spawned_by }),
  };
}

function secretsOf(value: unknown): Record<string, Secret> | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  if (!entries.every(([, token]) => isText(token))) return undefined;
  return Object.fromEntries(entries.map(([name, token]) => [name, new Secret(String(token))]));
}

/** `null` when absent, `undefined` when malformed. */
function identityOf(value: unknown): ProcessIdentity | null | undefined {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) return undefined;
  const { pid, process_start } = value;
  return isUint32(pid) && isText(process_start) ? { pid, process_start } : undefined;
}

function isAbsentOr(value: unknown, fits: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || fits(value);
}

function isFormationId(value: unknown): value is string {
  return isText(value) && isId('frm', value);
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isUint32(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxUint32;
}

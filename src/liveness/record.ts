import { join } from 'node:path';
import { reasonOf, type Secret } from '../errors/index.js';
import { ensurePrivateDirectory, holdDirectory, type MurmurHome } from '../home/index.js';
import { type Clock, systemClock } from '../supervise/clock.js';
import { isId } from '../supervise/ids.js';
import { guardOf } from './guard.js';
import { startToken } from './process.js';
import { hasControllingTerminal } from './terminal.js';
import type { PublishOutcome, RunningRecord } from './types.js';

export interface RecordFacts {
  readonly sessionId: string;
  /** `host:port` of the door. */
  readonly url: string;
  readonly capsuleName: string;
  readonly capsuleVersion: string;
  readonly recordsDir: string;
  /** The operator's token of an authenticated door, and those of its declared credentials by name. */
  readonly doorToken?: Secret;
  readonly credentials?: Readonly<Record<string, Secret>>;
}

/** The record of a session whose door this process holds. */
export function recordOfThisProcess(facts: RecordFacts, clock: Clock = systemClock): RunningRecord {
  const { doorToken, credentials = {} } = facts;
  return {
    session_id: facts.sessionId,
    url: facts.url,
    pid: process.pid,
    process_start: startToken(process.pid) ?? '',
    capsule_name: facts.capsuleName,
    capsule_version: facts.capsuleVersion,
    workdir: facts.recordsDir,
    outlives_launcher: !hasControllingTerminal(),
    started_at: new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
    ...(doorToken && { door_token: doorToken }),
    ...(Object.keys(credentials).length > 0 && { credentials }),
  };
}

/**
 * Publishes `record` as `running/<session_id>.json`, for as long as the guard is not retired. Publish after the door listens
 * and before it is announced. Never throws.
 */
export function publishRecord(home: MurmurHome, record: RunningRecord): PublishOutcome {
  try {
    if (!isId('ses', record.session_id)) throw new Error(`${JSON.stringify(record.session_id)} is not a session id`);
    ensurePrivateDirectory(home.root);
    ensurePrivateDirectory(home.running);
    const name = `${record.session_id}.json`;
    commit(home.running, name, textOf(record));
    return { status: 'published', guard: guardOf(join(home.running, name)) };
  } catch (error) {
    return { status: 'failed', reason: reasonOf(error) };
  }
}

/**
 * The nine fields in their order, then the optional ones that apply, whatever order or extras the object has. The only place
 * where the tokens of a door are written.
 */
function textOf(record: RunningRecord): string {
  const { door_token, credentials, formation_id, formation_lifeline, formation_launcher, spawned_by } = record;
  const ordered = {
    session_id: record.session_id,
    url: record.url,
    pid: record.pid,
    process_start: record.process_start,
    capsule_name: record.capsule_name,
    capsule_version: record.capsule_version,
    workdir: record.workdir,
    outlives_launcher: record.outlives_launcher,
    started_at: record.started_at,
    // JSON leaves out what is undefined.
    door_token: door_token?.reveal(),
    credentials: credentials && revealed(credentials),
    formation_id,
    formation_lifeline: formation_lifeline || undefined,
    formation_launcher: formation_launcher && {
      pid: formation_launcher.pid,
      process_start: formation_launcher.process_start,
    },
    spawned_by,
  };
  return JSON.stringify(ordered, null, 2);
}

/** Sorted by name; `undefined` when there are none. */
function revealed(credentials: Readonly<Record<string, Secret>>): Record<string, string> | undefined {
  const names = Object.keys(credentials).sort();
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, credentials[name]!.reveal()]));
}

/**
 * Replaces the file in one step, by way of a name that does not end in `.json`: a reader deletes a record it cannot parse, so
 * it must never see a part of one.
 */
function commit(directory: string, name: string, text: string): void {
  const running = holdDirectory(directory);
  try {
    running.writeFile(name, text, { mode: 0o600, mkdirs: false });
  } catch (error) {
    throw new Error(`failed to write ${join(directory, name)}: ${reasonOf(error)}`, { cause: error });
  } finally {
    running.close();
  }
}

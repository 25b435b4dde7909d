/**
 * Session addresses for running sessions (spec/liveness.md section 11). Pure: sweep.ts reads the machine.
 */
import { MurError } from '../errors/index.js';
import type { ListedRecord, RunningRecord, Sweep } from './types.js';

const sessionIdLength = 36;
const shortestSuffix = 4;

/**
 * The running session that `address` names: `@N` (newest first), a whole id, or a suffix of at least four characters. `E-RUN-022`
 * says why it names none, and when it names a session that is no more, why that is gone.
 */
export function resolveAddress(address: string, { running, gone }: Pick<Sweep, 'running' | 'gone'>): ListedRecord {
  const records = running.map(({ record }) => record);
  if (address.includes('/') || address.includes(':') || address.endsWith('.jsonl')) {
    throw notRunning(`'${address}' is not a session address`, 'use @N, a session id, or the end of one');
  }
  if (address.startsWith('@')) return atOrdinal(address, records) ?? throwNoMatch(address, records);
  const matches = matching(address, records);
  if (matches.length > 1) throw ambiguous(address, matches);
  if (matches[0] !== undefined) return matches[0];
  const ended = gone.find(({ record }) => matching(address, [record]).length > 0);
  if (ended !== undefined) throw notRunning(`${ended.record.session_id} is not running: ${ended.reason}`);
  return throwNoMatch(address, records);
}

function atOrdinal(address: string, records: readonly ListedRecord[]): ListedRecord | undefined {
  const digits = address.slice(1);
  if (!/^\d+$/.test(digits)) throw notRunning(`invalid ordinal '${address}' — expected @1, @2, ...`);
  if (Number(digits) === 0) throw notRunning('ordinal must be @1 or higher');
  return records[Number(digits) - 1];
}

function matching(address: string, records: readonly ListedRecord[]): ListedRecord[] {
  if (address.startsWith('ses_') && address.length === sessionIdLength) {
    return records.filter(({ session_id }) => session_id === address);
  }
  if (address.length < shortestSuffix) throw notRunning(`'${address}' is too short to name a session`);
  const suffix = address.toLowerCase();
  return records.filter(({ session_id }) => session_id.toLowerCase().endsWith(suffix));
}

function ambiguous(address: string, matches: readonly ListedRecord[]): MurError {
  const ids = matches.map(({ session_id }) => `\n  ${session_id}`).join('');
  return notRunning(
    `'${address}' matches ${matches.length} running sessions — provide more characters${ids}`,
    'give more of the id, or @N',
  );
}

function throwNoMatch(address: string, records: readonly ListedRecord[]): never {
  if (records.length === 0) throw notRunning('no capsule is running on this machine');
  const ids = records.map(({ session_id }) => session_id).join(', ');
  throw notRunning(`${address} names no running session — ${records.length} running: ${ids}`);
}

function notRunning(message: string, hint?: string): MurError {
  return new MurError('E-RUN-022', message, hint === undefined ? {} : { hint });
}

/** `E-RUN-023`: the process is alive and its door did not answer. Its record is kept. */
export function didNotAnswer({ session_id, url }: RunningRecord, reason: string): MurError {
  return new MurError('E-RUN-023', `${session_id} is running but its capsule did not answer at ${url}: ${reason}`);
}

/** `E-RUN-024`: the process could not be ended. Its record is kept. */
export function notEnded({ session_id }: RunningRecord, reason: string): MurError {
  return new MurError('E-RUN-024', `${session_id} could not be ended: ${reason}`);
}

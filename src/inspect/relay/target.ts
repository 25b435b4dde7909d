import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { MurError } from '../../errors/index.js';
import type { MurmurHome } from '../../home/index.js';
import { type ListedRecord, resolveAddress, type Sweep, sweepRecords, verify } from '../../liveness/index.js';
import { isBundle } from '../../replay/index.js';
import { type RecordedSession, recordedSessions, resolveRecorded } from '../../replay/recorded.js';
import { readTrace, TRACE_FILE } from '../../trace/index.js';
import type { LivenessView } from '../frame.js';

/** A session to show: where its records are, and its running record while it has one. */
export interface Target extends RecordedSession {
  readonly record?: ListedRecord;
  /** `recordsDir` is the file of a bundle. */
  readonly isBundle?: boolean;
}

/** Sessions shown when all of them are asked for: what a person can look through. */
const mostRecorded = 50;

/**
 * The sessions that addresses name: one that runs, else one that is recorded. Throws `E-TRC-002` or `E-RUN-022` for one that names
 * none, `E-IO-001` for a path that is not there, `E-TRC-001` for one that is neither records nor a bundle.
 */
export function targetsOf(addresses: readonly string[], home: MurmurHome): Target[] {
  const sweep = sweepRecords(home);
  return addresses.map((address) => runningAt(address, sweep) ?? recordedAt(address, home));
}

/** Every session that runs now, newest first. */
export function runningTargets(home: MurmurHome): Target[] {
  return sweepRecords(home).running.map(({ record }) => targetOf(record));
}

/** Sessions that have ended, newest first: those of this folder, or of this machine when it has none. */
export function endedTargets(home: MurmurHome, most = mostRecorded): Target[] {
  const running = new Set(runningTargets(home).map(({ sessionId }) => sessionId));
  return recordedSessions(home)
    .sessions.filter(({ sessionId }) => !running.has(sessionId))
    .slice(0, most);
}

/** The verdict on a session now, by every layer (spec/liveness.md 5). */
export async function livenessOf({ record, sessionId }: Target): Promise<LivenessView> {
  const at = Date.now();
  if (record === undefined) {
    return { verdict: 'Gone', reason: 'it has ended', evidence: [`no running record names ${sessionId}`], at };
  }
  const liveness = await verify(record);
  return {
    verdict: liveness.verdict,
    reason: liveness.verdict === 'Live' ? null : liveness.reason,
    evidence: liveness.evidence.map(({ layer, says }) => `layer ${layer}: ${says}`),
    at,
  };
}

function recordedAt(address: string, home: MurmurHome): Target {
  const { sessionId, recordsDir, isPath } = resolveRecorded(address, home);
  if (!isPath) return { sessionId, recordsDir };
  if (isBundle(recordsDir)) return { sessionId: sessionId || recordsDir, recordsDir, isBundle: true };
  const folder = recordsDir.endsWith('.jsonl') ? dirname(recordsDir) : recordsDir;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new MurError('E-TRC-001', `${recordsDir} is no bundle of a session`);
  }
  return { sessionId: sessionId || (sessionOf(folder) ?? basename(folder)), recordsDir: folder };
}

/** Of records that lie in a folder of another name: whose they are. */
function sessionOf(folder: string): string | undefined {
  try {
    for (const item of readTrace(join(folder, TRACE_FILE))) if (item.kind === 'event') return item.event.session_id;
  } catch {
    // No trace there.
  }
  return undefined;
}

function runningAt(address: string, sweep: Sweep): Target | undefined {
  try {
    return targetOf(resolveAddress(address, sweep));
  } catch {
    return undefined; // Then it is recorded, or the recorded sessions say why it names none.
  }
}

function targetOf(record: ListedRecord): Target {
  return { sessionId: record.session_id, recordsDir: record.workdir, record };
}

import type { RecordFacts, SessionRow } from '../../machines/registry/types.js';
import type { Liveness, RunningRecord } from '../liveness/index.js';

/** What a chart or a screen may know of a record. Leaves its tokens behind. */
export function factsOf(record: RunningRecord): RecordFacts {
  return {
    sessionId: record.session_id,
    capsule: record.capsule_name,
    version: record.capsule_version,
    url: record.url,
    detached: record.outlives_launcher,
    startedAt: record.started_at,
    workdir: record.workdir,
    ...(record.formation_id === undefined ? {} : { formationId: record.formation_id }),
    pid: record.pid,
    processStart: record.process_start,
  };
}

/** A verified record as a row; `undefined` for one whose process is gone. */
export function rowOf(record: RunningRecord, liveness: Liveness): SessionRow | undefined {
  switch (liveness.verdict) {
    case 'Live':
      return { ...factsOf(record), status: 'running', reason: null };
    case 'Unreachable':
      return { ...factsOf(record), status: 'unreachable', reason: liveness.reason };
    case 'Gone':
      return undefined;
  }
}

/**
 * The running record: how other processes find a session while its door is open (spec/liveness.md). Writes it and takes it
 * back; reading, verifying and signalling other sessions' records is not here yet.
 * Read next: record.ts (what is written), guard.ts (when it goes away).
 */
export { startToken } from '../home/index.js';
export { publishRecord, type RecordFacts, recordOfThisProcess } from './record.js';
export { hasControllingTerminal } from './terminal.js';
export type { PublishOutcome, RecordGuard, RunningRecord } from './types.js';

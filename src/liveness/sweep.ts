import type { MurmurHome } from '../home/index.js';
import { listRecords } from './list.js';
import { type ReadOptions, readProcess } from './process.js';
import { pruneRecord } from './prune.js';
import type { GoneRecord, Sweep } from './types.js';

/**
 * The running sessions of this machine by layers 1 and 2, with the records of `Gone` processes removed. Asks no door, so that a
 * quiet one hides nothing. `E-RUN-028` when the directory cannot be used.
 */
export function sweepRecords(home: MurmurHome, options: ReadOptions = {}): Sweep {
  const { records, unreadable } = listRecords(home);
  const running: Sweep['running'][number][] = [];
  const gone: GoneRecord[] = [];
  for (const record of records) {
    const { state, evidence } = readProcess(record, options);
    if (state.verdict !== 'Gone') running.push({ record, state });
    else gone.push({ record, reason: state.reason, evidence, pruned: pruneRecord(home, record) });
  }
  return { running, gone, unreadable };
}

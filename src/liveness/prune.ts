import { basename, join } from 'node:path';
import type { MurmurHome } from '../home/index.js';
import { readRecord } from './list.js';
import { isUnlinked, removeWithSiblings } from './siblings.js';
import type { ListedRecord, RunningRecord } from './types.js';

/**
 * Removes the record of a process that was found `Gone`, and the token files beside it. True when this call removed it: of
 * several readers at once, exactly one. Call it on that evidence only; never throws.
 *
 * The file is read again first and stays when it names another process by now, as after a resume. Does not stop: a record of
 * the same session published between that reading and the removal, two adjacent system calls.
 */
export function pruneRecord(home: MurmurHome, record: RunningRecord | ListedRecord): boolean {
  const own = `${record.session_id}.json`;
  const file = 'file' in record ? record.file : own;
  // A session id comes from the file's text, and must not lead anywhere else.
  if (file !== basename(file)) return false;
  const path = join(home.running, file);
  const now = readRecord(path);
  if (now.found !== 'record' || !isSame(now.record, record)) return false;
  // A renamed copy owns no token files.
  return file === own ? removeWithSiblings(path) : isUnlinked(path);
}

function isSame(a: RunningRecord, b: RunningRecord): boolean {
  return a.session_id === b.session_id && a.pid === b.pid && a.process_start === b.process_start;
}

import { unlinkSync } from 'node:fs';

/** Files beside `<session_id>.json` that hold tokens of the same session and live as long as it (spec/liveness.md 1.3). */
const siblings = ['.control', '.inspect'];

/**
 * Removes a record and its siblings; true when the record was there and this call removed it. Of several processes at once,
 * exactly one is told true. Never throws: a record is a hint, and one that stays is pruned by the next reader.
 *
 * The record goes last, so that a process killed half way leaves what the next reader will find again.
 */
export function removeWithSiblings(path: string): boolean {
  const stem = path.slice(0, -'.json'.length);
  for (const ending of siblings) isUnlinked(stem + ending);
  return isUnlinked(path);
}

export function isUnlinked(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

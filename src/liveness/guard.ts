import { unlinkSync } from 'node:fs';
import type { RecordGuard } from './types.js';

/** Guards still open. One listener for all of them, because a process may hold many sessions. */
const open = new Set<RecordGuard>();

/** A guard that removes `path` when retired, or when the process exits without that. */
export function guardOf(path: string): RecordGuard {
  const guard: RecordGuard = {
    path,
    retire: () => {
      if (!open.delete(guard)) return;
      if (open.size === 0) process.off('exit', retireAll);
      try {
        unlinkSync(path);
      } catch {
        // A record is a hint: one that stays is pruned by the next reader that finds its process gone.
      }
    },
  };
  if (open.size === 0) process.on('exit', retireAll);
  open.add(guard);
  return guard;
}

function retireAll(): void {
  for (const guard of open) guard.retire();
}

import { removeWithSiblings } from './siblings.js';
import type { RecordGuard } from './types.js';

/** Guards still open. One listener for all of them, because a process may hold many sessions. */
const open = new Set<RecordGuard>();

/** A guard that removes `path` and the token files beside it when retired, or when the process exits without that. */
export function guardOf(path: string): RecordGuard {
  const guard: RecordGuard = {
    path,
    retire: () => {
      if (!open.delete(guard)) return;
      if (open.size === 0) process.off('exit', retireAll);
      removeWithSiblings(path);
    },
  };
  if (open.size === 0) process.on('exit', retireAll);
  open.add(guard);
  return guard;
}

function retireAll(): void {
  for (const guard of open) guard.retire();
}

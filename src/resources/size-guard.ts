import { MurError } from '../errors/index.js';
import { type Clock, systemClock } from '../supervise/clock.js';
import { folderSize } from './folder-size.js';

/** What was found, once: the guard stops looking then. */
export interface SizeBreach {
  readonly maxBytes: number;
  readonly observedBytes: number;
}

export interface SizeGuardRequest {
  /** The work folder and the session's temp folder. */
  readonly folders: readonly string[];
  readonly maxBytes: number;
  /** From the end of one walk to the start of the next. */
  readonly intervalMs?: number;
  readonly clock?: Pick<Clock, 'sleep'>;
  /** Called once, before `breach` is seen by anybody else. */
  readonly onBreach: (breach: SizeBreach) => void;
}

/**
 * Looks at the size of a session's folders from time to time and latches when it is above the limit (spec/resources.md 6). It kills
 * nothing: whoever starts native processes asks `breach()` before, and the agent loop ends the session with it. What is written
 * between two looks is not held back.
 */
export interface SizeGuard {
  breach(): SizeBreach | undefined;
  /** Looks now, or joins the look that is going on. */
  look(): Promise<SizeBreach | undefined>;
  /** Returns when no walk runs any more. */
  close(): Promise<void>;
}

const defaultIntervalMs = 10_000;

export function openSizeGuard(request: SizeGuardRequest): SizeGuard {
  const { folders, maxBytes, intervalMs = defaultIntervalMs, clock = systemClock, onBreach } = request;
  const ending = new AbortController();
  let found: SizeBreach | undefined;
  let walking: Promise<SizeBreach | undefined> | undefined;

  const walk = async (): Promise<SizeBreach | undefined> => {
    let observedBytes = 0;
    for (const folder of folders) observedBytes += await folderSize(folder, ending.signal);
    if (observedBytes > maxBytes) {
      found = { maxBytes, observedBytes };
      onBreach(found);
    }
    return found;
  };
  const look = async (): Promise<SizeBreach | undefined> => {
    if (found !== undefined) return found;
    walking ??= walk().finally(() => {
      walking = undefined;
    });
    return walking;
  };
  const watch = async (): Promise<void> => {
    while (found === undefined) {
      await clock.sleep(intervalMs, ending.signal);
      await look();
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  return {
    breach: () => found,
    look,
    close: async () => {
      ending.abort();
      await Promise.allSettled([watching, walking]);
    },
  };
}

/** The refusal of a start, and the end of a session, after a breach. */
export function sizeError({ observedBytes, maxBytes }: SizeBreach): MurError {
  return new MurError(
    'E-RUN-013',
    `the work folder holds ${observedBytes} bytes, more than capabilities.resources.workdir_max_bytes (${maxBytes})`,
    { hint: 'remove files of the work folder, or raise workdir_max_bytes' },
  );
}

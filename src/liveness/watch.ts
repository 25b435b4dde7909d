/**
 * Noticing the end of a process this one did not start. The kernel says so where pidfds can be watched; elsewhere the process is
 * read again and again, at a bounded pace.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kernel, systemKernel } from './kernel.js';
import { type Pidfd, systemPidfd } from './pidfd.js';
import { processState } from './process.js';
import type { ExitNotice, ProcessIdentity } from './types.js';

const defaultPollMs = 100;

export interface WatchOptions {
  /** Ends the watch; the promise rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Whether the watch alone keeps this process running. Default false. */
  readonly keepAlive?: boolean;
  /** Pace where there is no pidfd. */
  readonly pollMs?: number;
  readonly kernel?: Kernel;
  readonly pidfd?: () => Pidfd | undefined;
}

/**
 * Resolves when the process of `identity` is `Gone`, at once when it already is. One that is `Unverified` is waited for: a
 * reading that failed is no end.
 */
export async function watchExit(identity: ProcessIdentity, options: WatchOptions = {}): Promise<ExitNotice> {
  const { kernel = systemKernel, pidfd = systemPidfd, signal } = options;
  const isGone = () => processState(identity, { kernel }).verdict === 'Gone';
  signal?.throwIfAborted();
  if (isGone()) return { via: 'poll' };
  const fds = pidfd();
  if (fds !== undefined && (await becameReadable(fds, identity.pid, isGone, options)) && isGone()) {
    return { via: 'pidfd' };
  }
  while (!isGone()) await pause(options);
  return { via: 'poll' };
}

/**
 * True when the kernel reported the end of the process. Whoever held the pid when the descriptor was opened has then exited, so
 * the process of the identity has too: it was that one, or was gone before. False where it cannot be watched this way.
 */
async function becameReadable(
  fds: Pidfd,
  pid: number,
  isGone: () => boolean,
  { signal, keepAlive = false }: WatchOptions,
): Promise<boolean> {
  const opened = fds.open(pid);
  if (!('fd' in opened)) return false;
  // It may have ended, and its number been given away, before the descriptor was opened.
  if (isGone()) {
    fds.close(opened.fd);
    return true;
  }
  let watch: { close(): void } | undefined;
  let onAbort: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      watch = fds.watch(opened.fd, resolve, { keepAlive });
      onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort);
    });
    return true;
  } catch {
    signal?.throwIfAborted();
    return false;
  } finally {
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
    watch?.close();
    fds.close(opened.fd);
  }
}

async function pause({ pollMs = defaultPollMs, keepAlive = false, signal }: WatchOptions): Promise<void> {
  try {
    await sleep(pollMs, undefined, { ref: keepAlive, ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/**
 * Waits at most `graceMs` for the process to be `Gone`; 0 looks once. The deadline is monotonic, so a stepped system clock
 * changes nothing.
 */
export async function awaitExit(
  identity: ProcessIdentity,
  graceMs: number,
  options: WatchOptions = {},
): Promise<'Exited' | 'StillRunning'> {
  const { kernel = systemKernel, signal } = options;
  if (graceMs <= 0) return processState(identity, { kernel }).verdict === 'Gone' ? 'Exited' : 'StillRunning';
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), graceMs);
  try {
    const either = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
    await watchExit(identity, { ...options, signal: either });
    return 'Exited';
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.signal.aborted) return 'StillRunning';
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

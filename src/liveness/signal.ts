/**
 * The one place of this project that signals a process it did not start. Reads the process and delivers without a turn of the
 * event loop between the two, to one positive pid, never to a group.
 *
 * On Linux through a pidfd: open it, then read who holds the pid, then send. The process that is recorded held the pid at the
 * reading and started before the open, so the descriptor names it, and from there a signal reaches it or nothing. Elsewhere, or
 * without koffi, by `kill(2)` right after the reading, and the outcome says so.
 *
 * Does not stop: two processes of one pid that started within one clock tick (10 ms); records of another pid namespace that
 * share this home, whose numbers mean other processes; by `kill`, a pid that is given away between two adjacent system calls.
 */
import { constants } from 'node:os';
import { isPid } from '../home/index.js';
import { type Kernel, systemKernel } from './kernel.js';
import { errnoName, osErrorText, osReason } from './os-error.js';
import { type Pidfd, systemPidfd } from './pidfd.js';
import { processState } from './process.js';
import type { ProcessIdentity, ProcessState, SignalOutcome, StopSignal } from './types.js';

export type Signaller = (identity: ProcessIdentity, signal: StopSignal) => SignalOutcome;

/** Signals the process of a record, if it is still that process. Verifies it itself; an earlier check does not count. */
export const signalProcess: Signaller = createSignaller();

/** A signaller with its own memory of whether this system takes pidfds. */
export function createSignaller(
  options: { readonly kernel?: Kernel; readonly pidfd?: () => Pidfd | undefined } = {},
): Signaller {
  const { kernel = systemKernel, pidfd = systemPidfd } = options;
  let refused = false;
  return (identity, signal) => {
    if (!isPid(identity.pid)) return { outcome: 'AlreadyGone' };
    const fds = refused ? undefined : pidfd();
    const opened = fds?.open(identity.pid);
    if (fds === undefined || opened === undefined) return byKill(identity, signal, kernel);
    if ('fd' in opened) return byPidfd(fds, opened.fd, identity, signal, kernel);
    switch (opened.errno) {
      case errno.ESRCH:
        return { outcome: 'AlreadyGone' };
      // An old kernel, or a filter on system calls: it will say so again.
      case errno.ENOSYS:
      case errno.EPERM:
        refused = true;
        return byKill(identity, signal, kernel);
      // The number is held by a thread, and kill(2) would take that for its process.
      case errno.ENOENT:
      case errno.EINVAL:
        return refusalBeforeSignal(processState(identity, { kernel })) ?? refusal(osErrorText(opened.errno));
      default:
        return byKill(identity, signal, kernel);
    }
  };
}

/** What a signal comes to without being sent; `undefined` when the process is confirmed. */
export function refusalBeforeSignal(state: ProcessState): SignalOutcome | undefined {
  switch (state.verdict) {
    case 'Alive':
      return undefined;
    case 'Unverified':
      return refusal(state.reason);
    case 'Gone':
      return { outcome: 'AlreadyGone' };
  }
}

const { errno } = constants;

function byPidfd(fds: Pidfd, fd: number, identity: ProcessIdentity, signal: StopSignal, kernel: Kernel): SignalOutcome {
  try {
    const before = refusalBeforeSignal(processState(identity, { kernel }));
    if (before !== undefined) return before;
    const failed = fds.send(fd, signal);
    if (failed === 0) return { outcome: 'Sent', via: 'pidfd' };
    return failed === errno.ESRCH ? { outcome: 'AlreadyGone' } : refusal(osErrorText(failed));
  } finally {
    fds.close(fd);
  }
}

function byKill(identity: ProcessIdentity, signal: StopSignal, kernel: Kernel): SignalOutcome {
  const before = refusalBeforeSignal(processState(identity, { kernel }));
  if (before !== undefined) return before;
  try {
    kernel.kill(identity.pid, signal);
    return { outcome: 'Sent', via: 'kill' };
  } catch (error) {
    return errnoName(error) === 'ESRCH' ? { outcome: 'AlreadyGone' } : refusal(osReason(error));
  }
}

function refusal(reason: string): SignalOutcome {
  return { outcome: 'Refused', reason };
}

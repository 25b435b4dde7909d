import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { koffi, type PollHandle } from './native.js';
import type { StopSignal } from './types.js';

/** The same numbers on every architecture Node runs on (asm-generic/unistd.h). */
const pidfdSendSignal = 424;
const pidfdOpen = 434;

/**
 * Descriptors that name one process for good, whoever gets its number later. Linux 5.3 and newer.
 */
export interface Pidfd {
  /** A descriptor of whatever process holds the pid now, or the errno. */
  open(pid: number): { readonly fd: number } | { readonly errno: number };
  /** The errno of `pidfd_send_signal(2)`, 0 when it was delivered. A zombie takes a signal without effect. */
  send(fd: number, signal: StopSignal): number;
  /**
   * Calls back when the process has exited, possibly more than once and possibly for no reason: read the process again. Throws
   * where descriptors cannot be watched. Close what it returns before the descriptor.
   */
  watch(fd: number, notify: () => void, options: { readonly keepAlive: boolean }): { close(): void };
  close(fd: number): void;
}

let bound: Pidfd | null | undefined;

/** Pidfds of this system; `undefined` where koffi is missing or the system is not Linux. Whether the kernel has them, `open` says. */
export function systemPidfd(): Pidfd | undefined {
  bound ??= bind() ?? null;
  return bound ?? undefined;
}

function bind(): Pidfd | undefined {
  if (process.platform !== 'linux') return undefined;
  const native = koffi();
  if (native === undefined) return undefined;
  try {
    const syscall = native.load(null).func('long syscall(long number, long a, long b, long c, long d)');
    return {
      open: (pid) => {
        const fd = syscall(pidfdOpen, pid, 0, 0, 0);
        return fd < 0 ? { errno: native.errno() } : { fd };
      },
      send: (fd, signal) => (syscall(pidfdSendSignal, fd, constants.signals[signal], 0, 0) === 0 ? 0 : native.errno()),
      watch: (fd, notify, { keepAlive }) => {
        // The call back comes outside of Node's own dispatch, where promises would wait for some other event to be run.
        const handle = native.node.poll(fd, { readable: true }, () => void setImmediate(notify));
        watched.add(handle);
        if (!keepAlive) handle.unref();
        return {
          close: () => {
            if (watched.delete(handle)) handle.close();
          },
        };
      },
      close: closeSync,
    };
  } catch {
    return undefined;
  }
}

/** Keeps open handles from being collected: koffi holds them weakly. */
const watched = new Set<PollHandle>();

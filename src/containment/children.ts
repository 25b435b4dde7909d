import { readFileSync } from 'node:fs';

/**
 * Children of a process, oldest first, as the kernel lists them; none for one that is gone. Each has that parent now and may have
 * another process' number a moment later: act on them at once.
 */
export function childrenOf(pid: number): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return list === '' ? [] : list.split(' ').map(Number);
  } catch {
    return [];
  }
}

/** The name of a process, `undefined` when it is gone. */
export function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}

/** Sends a signal to a process, or with a negative pid to a group. A process that is gone is no error. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

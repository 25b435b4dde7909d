/**
 * What the kernel says about a pid, as the few calls the rest of this folder is built on. Tests replace them for the answers no
 * real process can be made to give.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { parseStat } from '../home/index.js';
import { lookOnMac } from './macos.js';
import type { StopSignal } from './types.js';

/** What holds a pid now. */
export interface Sighting {
  /** It has exited, and whoever started it has not waited on it. */
  readonly zombie: boolean;
  /** `undefined` when the reading held none. Never `""`. */
  readonly startToken: string | undefined;
}

export interface Kernel {
  /** `kill(2)`. Throws an error with the errno's name as `code`. Only ever called with a single positive pid. */
  kill(pid: number, signal: 0 | StopSignal): void;
  /** `undefined` when the reading could not be taken, which is no evidence of anything. */
  look(pid: number): Sighting | undefined;
}

export const systemKernel: Kernel = {
  kill: (pid, signal) => {
    process.kill(pid, signal);
  },
  look: (pid) => {
    switch (process.platform) {
      case 'linux':
        return lookOnLinux(pid);
      case 'darwin':
        return lookOnMac(pid);
      default:
        return undefined;
    }
  },
};

/** Reads `/proc/<pid>/stat` once for both facts, so that they are of one moment. */
export function lookOnLinux(pid: number, readStat: (pid: number) => string = readStatFile): Sighting | undefined {
  try {
    const stat = parseStat(readStat(pid));
    return stat && { zombie: stat.state === 'Z', startToken: stat.startToken || undefined };
  } catch {
    return undefined;
  }
}

/** More than a stat line can hold: some fifty numbers and a name of 16 bytes. */
const line = Buffer.allocUnsafeSlow(4096);

/** Three system calls instead of the five of `readFileSync`: a listing reads a thousand of these. */
function readStatFile(pid: number): string {
  const fd = openSync(`/proc/${pid}/stat`, 'r');
  try {
    // latin1, because the executable name may be any bytes.
    return line.toString('latin1', 0, readSync(fd, line, 0, line.length, 0));
  } finally {
    closeSync(fd);
  }
}

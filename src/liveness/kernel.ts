/**
 * What the kernel says about a pid, as the few calls the rest of this folder is built on. Tests replace them for the answers no
 * real process can be made to give.
 */
import { lookOnLinux, type Sighting } from '../home/index.js';
import { lookOnMac } from './macos.js';
import type { StopSignal } from './types.js';

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

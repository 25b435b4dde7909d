import { closeSync, constants, openSync } from 'node:fs';

/**
 * Whether this process has a controlling terminal, which decides whether it dies with the window that launched it. Asks
 * `/dev/tty`, so redirected streams do not change the answer.
 */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}

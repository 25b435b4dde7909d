import { fromCallback } from 'xstate';
import { faultOf } from '../../machines/effect.js';
import { toMurError } from '../errors/index.js';

/**
 * An actor that owns the process: it reports `signal.received` for each SIGTERM, SIGINT and SIGHUP (a closed terminal) and `bug.surfaced` for each error that
 * nobody caught, rejections included, until it is stopped. Every such error is given to `log` first, with where it came from.
 */
export const processEvents = (log: (error: unknown) => void) =>
  fromCallback<{ type: string }, undefined>(({ sendBack }) => {
    const signaled = (signal: NodeJS.Signals): void => sendBack({ type: 'signal.received', signal });
    const surfaced = (error: unknown): void => {
      log(error);
      sendBack({ type: 'bug.surfaced', error: faultOf(toMurError(error)) });
    };
    // Node takes over SIGHUP at its start, also one that `nohup` set to be ignored, so there is nothing to respect here.
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
    for (const signal of signals) process.on(signal, signaled);
    process.on('uncaughtException', surfaced);
    return () => {
      for (const signal of signals) process.off(signal, signaled);
      process.off('uncaughtException', surfaced);
    };
  });

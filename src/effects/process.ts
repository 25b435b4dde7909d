import { fromCallback } from 'xstate';
import { faultOf } from '../../machines/effect.js';
import { toMurError } from '../errors/index.js';

/**
 * An actor that owns the process: it reports `signal.received` for each SIGTERM and SIGINT and `bug.surfaced` for each error that
 * nobody caught, rejections included, until it is stopped. Every such error is given to `log` first, with where it came from.
 */
export const processEvents = (log: (error: unknown) => void) =>
  fromCallback<{ type: string }, undefined>(({ sendBack }) => {
    const signaled = (signal: NodeJS.Signals): void => sendBack({ type: 'signal.received', signal });
    const surfaced = (error: unknown): void => {
      log(error);
      sendBack({ type: 'bug.surfaced', error: faultOf(toMurError(error)) });
    };
    process.on('SIGTERM', signaled);
    process.on('SIGINT', signaled);
    process.on('uncaughtException', surfaced);
    return () => {
      process.off('SIGTERM', signaled);
      process.off('SIGINT', signaled);
      process.off('uncaughtException', surfaced);
    };
  });

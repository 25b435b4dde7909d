import { MurError } from '../errors/index.js';

/** `E-RUN-003`, with what mends most of them: the lock is written anew from what the manifest names. */
export function lockFault(message: string, hint = 'delete murmur.lock and run mur install to write it anew'): MurError {
  return new MurError('E-RUN-003', message, { hint });
}

import { getSystemErrorMap } from 'node:util';
import { isMurError, MurError } from '../errors/index.js';

/** The errno name of a failed system call (`ENOENT`); `undefined` for anything else. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/**
 * What the system said, without the path Node adds: that path names one of our descriptors, which tells a person nothing.
 */
export function systemReason(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  return known === undefined ? message : known[1];
}

/** `E-IO-001`, `E-IO-002` or `E-IO-003` by errno, as `<action> <path>: <reason>`. A `MurError` passes through. */
export function ioError(action: string, path: string, error: unknown): MurError {
  if (isMurError(error)) return error;
  const message = `${action} ${path}: ${systemReason(error)}`;
  switch (errnoOf(error)) {
    case 'ENOENT':
      return new MurError('E-IO-001', message, { cause: error });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new MurError('E-IO-002', message, { cause: error });
    default:
      return new MurError('E-IO-003', message, { cause: error });
  }
}

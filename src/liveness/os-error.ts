import { getSystemErrorMap } from 'node:util';

/**
 * A failed system call in upstream's words, `Operation not permitted (os error 1)`, so that both print the same. `errno` is a
 * positive number.
 */
export function osErrorText(errno: number): string {
  const message = getSystemErrorMap().get(-errno)?.[1] ?? 'unknown error';
  return `${message[0]!.toUpperCase()}${message.slice(1)} (os error ${errno})`;
}

/** The system's words for any thrown value, or its own message where no system call is behind it. */
export function osReason(error: unknown): string {
  const errno = errnoNumber(error);
  if (errno !== undefined) return osErrorText(errno);
  return error instanceof Error ? error.message : String(error);
}

/** The name of the failed call's errno, like `ESRCH`. */
export function errnoName(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The positive errno of an error or of what caused it. */
function errnoNumber(error: unknown): number | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { errno } = at as NodeJS.ErrnoException;
    if (typeof errno === 'number' && errno < 0) return -errno;
  }
  return undefined;
}

/** `wasi:filesystem/types#error-code`. */
export type FsErrorCode =
  | 'access'
  | 'would-block'
  | 'already'
  | 'bad-descriptor'
  | 'busy'
  | 'deadlock'
  | 'quota'
  | 'exist'
  | 'file-too-large'
  | 'illegal-byte-sequence'
  | 'in-progress'
  | 'interrupted'
  | 'invalid'
  | 'io'
  | 'is-directory'
  | 'loop'
  | 'too-many-links'
  | 'message-size'
  | 'name-too-long'
  | 'no-device'
  | 'no-entry'
  | 'no-lock'
  | 'insufficient-memory'
  | 'insufficient-space'
  | 'not-directory'
  | 'not-empty'
  | 'not-recoverable'
  | 'unsupported'
  | 'no-tty'
  | 'no-such-device'
  | 'overflow'
  | 'not-permitted'
  | 'pipe'
  | 'read-only'
  | 'invalid-seek'
  | 'text-file-busy'
  | 'cross-device';

const byErrno: Readonly<Record<string, FsErrorCode>> = {
  EACCES: 'access',
  EAGAIN: 'would-block',
  EBADF: 'bad-descriptor',
  EBUSY: 'busy',
  EDQUOT: 'quota',
  EEXIST: 'exist',
  EFBIG: 'file-too-large',
  EILSEQ: 'illegal-byte-sequence',
  EINTR: 'interrupted',
  EINVAL: 'invalid',
  EIO: 'io',
  EISDIR: 'is-directory',
  ELOOP: 'loop',
  EMLINK: 'too-many-links',
  ENAMETOOLONG: 'name-too-long',
  ENODEV: 'no-device',
  ENOENT: 'no-entry',
  ENOLCK: 'no-lock',
  ENOMEM: 'insufficient-memory',
  // No code of the interface means "too many open files"; this one says to let something go.
  EMFILE: 'insufficient-memory',
  ENFILE: 'insufficient-memory',
  ENOSPC: 'insufficient-space',
  ENOTDIR: 'not-directory',
  ENOTEMPTY: 'not-empty',
  ENOTSUP: 'unsupported',
  ENOSYS: 'unsupported',
  ENXIO: 'no-such-device',
  EOVERFLOW: 'overflow',
  EPERM: 'not-permitted',
  EPIPE: 'pipe',
  EROFS: 'read-only',
  ESPIPE: 'invalid-seek',
  ETXTBSY: 'text-file-busy',
  EXDEV: 'cross-device',
};

/** A failure that already has its code. Carried as a class so that a bug of ours is never mistaken for one. */
export class FsFailure {
  readonly code: FsErrorCode;

  constructor(code: FsErrorCode) {
    this.code = code;
  }
}

export function fail(code: FsErrorCode): never {
  throw new FsFailure(code);
}

/** The errno name of a thrown system error, `''` for anything else. */
export function errnoOf(thrown: unknown): string {
  return thrown instanceof Error ? ((thrown as NodeJS.ErrnoException).code ?? '') : '';
}

/** The code the guest sees for anything a file operation threw. Never a host path or message; `undefined` for a bug of ours. */
export function fsCodeOf(thrown: unknown): FsErrorCode | undefined {
  if (thrown instanceof FsFailure) return thrown.code;
  const errno = errnoOf(thrown);
  if (errno === '') return undefined;
  // ERR_* are Node's own argument checks (a NUL byte, a number out of range): the guest passed something unusable.
  return byErrno[errno] ?? (errno.startsWith('ERR_') ? 'invalid' : 'io');
}

/** Runs `act`; a failed file operation is thrown as its bare code, the form the transpiled component takes as `err`. */
export function asResult<T>(act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    throw fsCodeOf(thrown) ?? thrown;
  }
}

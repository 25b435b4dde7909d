/** asm-generic/errno.h: those a probe meets. */
export const errno = {
  EPERM: 1,
  EACCES: 13,
  EINVAL: 22,
  ENOSPC: 28,
  ENOSYS: 38,
  EOPNOTSUPP: 95,
} as const;

/** An errno as a report shows it: `EPERM`, or its number. */
export function errnoName(number: number): string {
  return Object.entries(errno).find(([, value]) => value === number)?.[0] ?? `errno ${number}`;
}

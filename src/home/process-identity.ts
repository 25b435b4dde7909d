import { readFileSync } from 'node:fs';

/** Field 22 of a stat line, counted from field 3, which is the first after the executable name. */
const startTimeAfterName = 22 - 3;

/**
 * When `pid`'s process started, as an opaque token; `undefined` when it could not be read. Compare it only by equality with a
 * token read on the same machine (spec/liveness.md 5.2). Linux only: other systems read as "could not be read".
 */
export function startToken(pid: number): string | undefined {
  try {
    // latin1, because the executable name in the line may be any bytes.
    return startTokenOf(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** The token inside one line of `/proc/<pid>/stat`. The name in parentheses may itself hold spaces and parentheses. */
export function startTokenOf(stat: string): string | undefined {
  const end = stat.lastIndexOf(')');
  if (end === -1) return undefined;
  return stat
    .slice(end + 1)
    .trim()
    .split(/\s+/)[startTimeAfterName];
}

import { readFileSync } from 'node:fs';

/** Field 22 of a stat line, counted from field 3, which is the first after the executable name. */
const startTimeAfterName = 22 - 3;

/** What one line of `/proc/<pid>/stat` says. */
export interface ProcessStat {
  /** Field 3. `Z` has exited and was not waited on. */
  readonly state: string;
  /** Field 22; `undefined` when the line ends before it or within it, because a part of a number is another number. */
  readonly startToken: string | undefined;
}

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

/** The token inside one line of `/proc/<pid>/stat`. */
export function startTokenOf(line: string): string | undefined {
  return parseStat(line)?.startToken;
}

/** The fields that identify a process; `undefined` for a line that is none. The name in parentheses may itself hold spaces and parentheses. */
export function parseStat(line: string): ProcessStat | undefined {
  const end = line.lastIndexOf(')');
  if (end === -1) return undefined;
  const fields = line
    .slice(end + 1)
    .trimStart()
    .split(/\s+/, startTimeAfterName + 2);
  return {
    state: fields[0] ?? '',
    startToken: fields.length > startTimeAfterName + 1 ? fields[startTimeAfterName] : undefined,
  };
}

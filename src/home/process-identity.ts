import { closeSync, openSync, readSync } from 'node:fs';

/** Field 22 of a stat line, counted from field 3, which is the first after the executable name. */
const startTimeAfterName = 22 - 3;

/** What one line of `/proc/<pid>/stat` says. */
export interface ProcessStat {
  /** Field 3. `Z` has exited and was not waited on. */
  readonly state: string;
  /** Field 22; `undefined` when the line ends before it or within it, because a part of a number is another number. */
  readonly startToken: string | undefined;
}

/** What holds a pid now. */
export interface Sighting {
  /** It has exited, and whoever started it has not waited on it. */
  readonly zombie: boolean;
  /** `undefined` when the reading held none. Never `""`. */
  readonly startToken: string | undefined;
}

/**
 * When `pid`'s process started, as an opaque token; `undefined` when it could not be read. Compare it only by equality with a
 * token read on the same machine (spec/liveness.md 5.2). Linux only: other systems read as "could not be read".
 */
export function startToken(pid: number): string | undefined {
  return lookOnLinux(pid)?.startToken;
}

/** Reads `/proc/<pid>/stat` once for both facts, so that they are of one moment; `undefined` when it could not be read. */
export function lookOnLinux(pid: number, readStat: (pid: number) => string = readStatFile): Sighting | undefined {
  try {
    const stat = parseStat(readStat(pid));
    return stat && { zombie: stat.state === 'Z', startToken: stat.startToken || undefined };
  } catch {
    return undefined;
  }
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

/** More than a stat line can hold: some fifty numbers and a name of 16 bytes. */
const line = Buffer.allocUnsafeSlow(4096);

/** Three system calls instead of the five of `readFileSync`: a listing reads a thousand of these. */
function readStatFile(pid: number): string {
  const fd = openSync(`/proc/${pid}/stat`, 'r');
  try {
    // latin1, because the executable name may be any bytes.
    return line.toString('latin1', 0, readSync(fd, line, 0, line.length, 0));
  } finally {
    closeSync(fd);
  }
}

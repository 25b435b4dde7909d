/**
 * Recorded sessions and how a person names one (spec/cli.md section 2, spec/trace.md 10.2). Not running sessions (src/liveness).
 */
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MurError } from '../errors/index.js';
import type { MurmurHome } from '../home/index.js';
import { recordsGroup } from '../home/session-folders.js';
import { isId } from '../supervise/ids.js';

export interface RecordedSession {
  readonly sessionId: string;
  readonly recordsDir: string;
}

export interface RecordedSet {
  /** Newest first. */
  readonly sessions: readonly RecordedSession[];
  /** This folder has none, so these are all of the machine. */
  readonly isEverywhere: boolean;
}

const shortestSuffix = 4;
/** Deeper than any folder a person works in. */
const deepest = 64;

/**
 * The sessions recorded for a workdir root (default: that of the project in the current folder), in `~/.murmur/records` and, as
 * older versions had them, in the root itself. A folder that has none is answered with every session of the machine.
 */
export function recordedSessions(home: MurmurHome, workdir?: string): RecordedSet {
  const root = resolve(workdir ?? 'workdir');
  const here = newestFirst([
    ...sessionsIn(join(home.records, recordsGroup(root))),
    ...sessionsIn(root).filter(isRecord),
  ]);
  if (here.length > 0 || workdir !== undefined) return { sessions: here, isEverywhere: false };
  return { sessions: allSessions(home), isEverywhere: true };
}

/** Every session recorded on this machine, newest first. */
export function allSessions(home: MurmurHome): RecordedSession[] {
  return newestFirst(below(home.records, 0));
}

/** The recorded session an address names. `E-TRC-002` says why it names none; a path is taken literally. */
export function resolveRecorded(
  address: string,
  home: MurmurHome,
  workdir?: string,
): RecordedSession & { readonly isPath: boolean } {
  if (/\/|\.(?:jsonl|murbundle)$/.test(address)) return { ...atPath(address), isPath: true };
  const { sessions } = recordedSessions(home, workdir);
  return { ...named(address, sessions, home), isPath: false };
}

function named(address: string, sessions: readonly RecordedSession[], home: MurmurHome): RecordedSession {
  if (address.startsWith('@')) return atOrdinal(address, sessions);
  if (isId('ses', address)) {
    // A whole id is the same session wherever one stands.
    const found = [...sessions, ...allSessions(home)].find(({ sessionId }) => sessionId === address);
    if (found === undefined) throw noSession(`no session ${address} is recorded on this machine`);
    return found;
  }
  if (address.length < shortestSuffix) {
    throw noSession(`'${address}' is too short to name a session: ${shortestSuffix} characters or more`);
  }
  const suffix = address.toLowerCase();
  const matches = sessions.filter(({ sessionId }) => sessionId.endsWith(suffix));
  if (matches.length > 1) {
    const ids = matches.map(({ sessionId }) => `\n  ${sessionId}`).sort();
    throw noSession(`'${address}' matches ${matches.length} recorded sessions${ids.join('')}`, 'give more of the id');
  }
  return matches[0] ?? throwNone(`no recorded session ends with '${address}'`, sessions);
}

function atOrdinal(address: string, sessions: readonly RecordedSession[]): RecordedSession {
  const digits = address.slice(1);
  if (!/^[1-9]\d*$/.test(digits)) throw noSession(`'${address}' is no place in the list: @1 is the newest session`);
  const what = `${address} names no recorded session`;
  return sessions[Number(digits) - 1] ?? throwNone(what, sessions);
}

function throwNone(what: string, sessions: readonly RecordedSession[]): never {
  if (sessions.length === 0)
    throw noSession(`${what}: none is recorded here`, 'mur run records one; --workdir names another root');
  const newest = sessions[0]?.sessionId;
  throw noSession(
    `${what}: ${sessions.length} are recorded, the newest is ${newest}`,
    'name one of them, or give --workdir',
  );
}

function atPath(path: string): RecordedSession {
  const recordsDir = resolve(path);
  if (!existsSync(recordsDir)) throw new MurError('E-IO-001', `there is nothing at ${recordsDir}`);
  const sessionId = recordsDir.split('/').findLast((name) => isId('ses', name)) ?? '';
  return { sessionId, recordsDir };
}

function isRecord({ recordsDir }: RecordedSession): boolean {
  return ['trace.jsonl', 'events.jsonl'].some((name) => existsSync(join(recordsDir, name)));
}

function sessionsIn(folder: string): RecordedSession[] {
  return foldersIn(folder)
    .filter(({ name }) => isId('ses', name))
    .map(({ name }) => ({ sessionId: name, recordsDir: join(folder, name) }));
}

function below(folder: string, depth: number): RecordedSession[] {
  if (depth > deepest) return [];
  const groups = foldersIn(folder).filter(({ name }) => !isId('ses', name));
  return [...sessionsIn(folder), ...groups.flatMap(({ name }) => below(join(folder, name), depth + 1))];
}

/** Links are not followed, so that a circle of them ends. */
function foldersIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  } catch {
    return [];
  }
}

function newestFirst(sessions: readonly RecordedSession[]): RecordedSession[] {
  const byId = new Map<string, RecordedSession>();
  for (const session of sessions) if (!byId.has(session.sessionId)) byId.set(session.sessionId, session);
  return [...byId.values()].sort((a, b) => (a.sessionId < b.sessionId ? 1 : -1));
}

function noSession(message: string, hint?: string): MurError {
  return new MurError('E-TRC-002', message, hint === undefined ? {} : { hint });
}

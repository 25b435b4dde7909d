/**
 * The lines of `mur run` on stdout (spec/cli.md 11.3): scripts read them, so every byte counts. Pure.
 * Not the progress on stderr (progress.ts, plain.ts).
 */
import type { SessionNotice } from '../supervise/notice.js';
import { oneLine } from './safe-text.js';

export type Staged = SessionNotice & { readonly type: 'session.staged' };
export type Listening = SessionNotice & { readonly type: 'door.listening' };

/** `human`: the lines. `json`: one readiness line. `print`: nothing but the answer. */
export type OutputMode = 'human' | 'json' | 'print';

/** Everything stdout says once the session can be addressed. `door` is absent for a session without one. */
export function announcement(
  mode: OutputMode,
  isVerbose: boolean,
  staged: Staged,
  door: Listening | undefined,
): readonly string[] {
  if (mode === 'print') return [];
  if (mode === 'json') return door === undefined ? [] : [readiness(staged, door)];
  const lines = door === undefined ? [] : [`murmur: url ${door.url}`];
  if (door?.auth !== undefined) lines.push(`murmur: auth ${door.auth} (mur token ${staged.sessionId})`);
  lines.push(`session: ${staged.sessionId}`);
  return isVerbose ? [...lines, ...details(staged)] : lines;
}

/** `status:  ok`, the last line of a run for people. */
export function statusLine(status: string): string {
  return `status:  ${oneLine(status)}`;
}

function readiness(staged: Staged, door: Listening): string {
  const { name, version, sessionId, workdir } = staged;
  const { url, pid, auth } = door;
  // JSON leaves out what is undefined.
  return JSON.stringify({ url, pid, session_id: sessionId, name, version, workdir, auth });
}

function details(staged: Staged): string[] {
  const { name, version, driver, model, skills = 0, workdir } = staged;
  const lines = [`workdir: ${oneLine(workdir)}`];
  if (name !== undefined) lines.push(`manifest: ${oneLine(name)} v${oneLine(version ?? '')}`);
  if (driver !== undefined) lines.push(`driver: ${oneLine(driver)} (${oneLine(model ?? '')})`);
  if (skills > 0) lines.push(`skills: ${skills} installed`);
  return lines;
}

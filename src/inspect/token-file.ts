import { join } from 'node:path';
import type { Secret } from '../errors/index.js';
import { ensurePrivateDirectory, holdDirectory, type MurmurHome } from '../home/index.js';
import { isId } from '../supervise/ids.js';

/** The token file of a session's inspection, beside its running record. */
export function tokenPath(home: MurmurHome, sessionId: string): string {
  return join(home.running, nameOf(sessionId));
}

/**
 * Writes it, readable by this user only. It goes with the running record: whoever removes that removes both (src/liveness/siblings.ts).
 * Write it before the record, so that a reader of the record finds it.
 */
export function writeToken(home: MurmurHome, sessionId: string, token: Secret): void {
  ensurePrivateDirectory(home.root);
  ensurePrivateDirectory(home.running);
  const running = holdDirectory(home.running);
  try {
    running.writeFile(nameOf(sessionId), token.reveal(), { mode: 0o600, mkdirs: false });
  } finally {
    running.close();
  }
}

/** The token of a session on this machine; `undefined` when it is not inspected, or has ended. */
export function readToken(home: MurmurHome, sessionId: string): string | undefined {
  const running = holdDirectory(home.running);
  try {
    return running.readFile(nameOf(sessionId), { limitBytes: 4_096 })?.toString('utf8').trim();
  } finally {
    running.close();
  }
}

function nameOf(sessionId: string): string {
  if (!isId('ses', sessionId)) throw new Error(`${JSON.stringify(sessionId)} is not a session id`);
  return `${sessionId}.inspect`;
}

import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keeps lines that stdout or stderr no longer took: appended to `logs/bootstrap.log` of the records directory
 * (spec/cli.md 11.6). Lost when that cannot be written either: a log must not end a session.
 */
export function keepLine(recordsDir: string, text: string): void {
  try {
    mkdirSync(join(recordsDir, 'logs'), { recursive: true, mode: 0o700 });
    appendFileSync(join(recordsDir, 'logs', 'bootstrap.log'), text, { mode: 0o600 });
  } catch {
    // Nowhere left to say it.
  }
}

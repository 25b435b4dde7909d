/** Every session a test records must replay to what it did. One place for it, so that no test can forget. */
import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { EVENT_LOG_FILE, openReplay, type ReplayOptions } from '../../src/replay/index.js';

/** Records a test changed on purpose: below which path, and why. */
export type Excuses = ReadonlyMap<string, string>;

/** Verifies every event log below `folder`; throws at the first divergence. Returns how many there were. */
export function expectFaithful(folder: string, excuses: Excuses = new Map(), options: ReplayOptions = {}): number {
  let count = 0;
  for (const log of eventLogs(folder)) {
    if ([...excuses.keys()].some((path) => log === path || log.startsWith(path + sep))) continue;
    const { divergence } = openReplay(log, options).verify();
    if (divergence !== undefined) throw new Error(`${log} does not replay: ${JSON.stringify(divergence)}`);
    count += 1;
  }
  return count;
}

function eventLogs(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return eventLogs(path);
    return entry.isFile() && entry.name === EVENT_LOG_FILE ? [path] : [];
  });
}

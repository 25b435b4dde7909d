import { join, resolve } from 'node:path';
import type { MurmurHome } from '../home/types.js';
import type { ScopeFolders } from './types.js';

/** Stands for the id of a session in every path of a report, so that one manifest has one report. */
export const sessionIdPlaceholder = '<session-id>';

/** Where the folders of a session of this capsule lie (spec/session.md 3.1). Makes nothing and looks at nothing. */
export function scopeFolders(from: {
  readonly home: Pick<MurmurHome, 'root' | 'sessions' | 'records'>;
  readonly manifestDir: string;
  /** The operator's work folder. */
  readonly workdir?: string;
}): ScopeFolders {
  const { home, manifestDir, workdir } = from;
  const group = workdir === undefined ? join(resolve(manifestDir), 'workdir') : resolve(workdir);
  return {
    work: workdir === undefined ? join(group, sessionIdPlaceholder) : group,
    isWorkMade: workdir === undefined,
    runtime: join(home.sessions, sessionIdPlaceholder, 'runtime'),
    records: join(home.records, group.slice(1), sessionIdPlaceholder),
    home: home.root,
  };
}

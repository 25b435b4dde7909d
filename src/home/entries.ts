import { type BigIntStats, type Dirent, readdirSync, type Stats } from 'node:fs';
import type { Entry, EntryKind, EntryStat } from './types.js';
import type { Place, Walker } from './walk.js';

/** The entries of `place`, sorted by name. Kinds are those of the entries, never of what a link points to. */
export function entriesOf(walker: Walker, place: Place): Entry[] {
  return readdirSync(walker.self(place), { withFileTypes: true })
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

export function statOf(facts: Stats): EntryStat {
  return { kind: kindOf(facts), sizeBytes: facts.size, mode: facts.mode & 0o7777, modifiedAtMs: facts.mtimeMs };
}

function kindOf(facts: Stats | BigIntStats | Dirent): EntryKind {
  if (facts.isFile()) return 'file';
  if (facts.isDirectory()) return 'directory';
  return facts.isSymbolicLink() ? 'link' : 'other';
}

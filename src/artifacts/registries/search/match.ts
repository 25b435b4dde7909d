import type { IndexEntry } from '../types.js';

/**
 * The entries whose name, description or a tag holds `query`, whatever the case (spec/cli.md section 24): the best first, then by name,
 * then the newest version. One row per name and version.
 */
export function matching(entries: readonly IndexEntry[], query: string, limit: number): readonly IndexEntry[] {
  const wanted = query.trim().toLowerCase();
  const ranked = entries
    .map((entry) => ({ entry, rank: rankOf(entry, wanted) }))
    .filter(({ rank }) => rank !== undefined)
    .sort(
      (a, b) => a.rank! - b.rank! || compare(a.entry.name, b.entry.name) || compare(b.entry.version, a.entry.version),
    );
  const seen = new Set<string>();
  const rows = ranked.filter(({ entry: { name, version } }) => {
    const key = JSON.stringify([name, version]);
    return !seen.has(key) && seen.add(key);
  });
  return rows.slice(0, limit).map(({ entry }) => entry);
}

/** 0 for the name itself, up to 4 for the description; `undefined` when nothing holds it. */
function rankOf({ name, description = '', tags }: IndexEntry, wanted: string): number | undefined {
  const texts = [name, ...tags, description].map((text) => text.toLowerCase());
  if (texts[0] === wanted) return 0;
  if (texts[0]!.startsWith(wanted)) return 1;
  if (texts[0]!.includes(wanted)) return 2;
  const at = texts.findIndex((text) => text.includes(wanted));
  if (at === -1) return undefined;
  return at === texts.length - 1 ? 4 : 3;
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

import { type JsonObject, objectIn, textIn, textsIn } from './http/json.js';
import type { IndexEntry } from './types.js';

/**
 * The rows of a list that a registry or an index file holds (spec/artifacts.md sections 8.3 and 8.5), or why it is none. One row of
 * another shape spoils the list: a search that passes over it would answer "no" where the answer is not known.
 */
export function readEntries(value: unknown): readonly IndexEntry[] | string {
  if (!Array.isArray(value)) return 'is no list of artifacts';
  const entries: IndexEntry[] = [];
  for (const [at, item] of value.entries()) {
    const entry = readEntry(objectIn(item) ?? {});
    if (entry === undefined) return `has a row ${at} without name, version and runtime`;
    entries.push(entry);
  }
  return entries;
}

function readEntry(row: JsonObject): IndexEntry | undefined {
  const [name, version, runtime] = [textIn(row.name), textIn(row.version), textIn(row.runtime)];
  if (!name || !version || !runtime) return undefined;
  const description = textIn(row.description);
  const artifactRuntime = textIn(row.artifact_runtime);
  return {
    name,
    version,
    runtime,
    ...(artifactRuntime ? { artifactRuntime } : {}),
    ...(description ? { description } : {}),
    tags: textsIn(row.tags),
    platforms: platformsIn(row.platforms),
  };
}

/** `linux-x86_64`, or the pair `["linux", "x86_64"]` that stores keep. */
function platformsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const pair = textsIn(item);
    return pair.length === 2 ? pair.join('-') : (textIn(item) ?? []);
  });
}

import { MurError } from '../errors/index.js';
import type { ArtifactEntry } from '../manifest/index.js';
import { nearestKey } from '../manifest/suggest.js';
import type { ArtifactStore } from './store.js';

/** `E-RUN-008` for all of `entries` at once, with what the stores have that is near: other versions, and names like theirs. */
export async function missingArtifacts(
  entries: readonly ArtifactEntry[],
  stores: readonly ArtifactStore[],
): Promise<MurError> {
  const wanted = entries.map(labelOf);
  const near = await Promise.all(entries.map((entry) => nearTo(entry, stores)));
  const found = [...new Set(near.flat())].sort();
  const instead = found.length === 0 ? '' : `; found instead: ${found.join(', ')}`;
  return new MurError('E-RUN-008', `missing artifacts: ${wanted.join(', ')}`, {
    hint: `${wanted.map((label) => `mur install ${label}`).join(' && ')}${instead}`,
  });
}

async function nearTo({ name }: ArtifactEntry, stores: readonly ArtifactStore[]): Promise<readonly string[]> {
  const own = await versionsIn(name, stores);
  if (own.length > 0) return own;
  const names = (await Promise.all(stores.map((store) => store.names()))).flat();
  const nearest = nearestKey(name, names);
  return nearest === undefined ? [] : versionsIn(nearest, stores);
}

async function versionsIn(name: string, stores: readonly ArtifactStore[]): Promise<readonly string[]> {
  const versions = (await Promise.all(stores.map((store) => store.versions(name)))).flat();
  return versions.map((version) => `${name}@${version}`);
}

function labelOf({ name, version }: ArtifactEntry): string {
  return `${name}@${version}`;
}

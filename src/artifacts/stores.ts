import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { embeddedStore } from './embedded.js';
import { localStore } from './local-store.js';
import { hostPlatform } from './platform.js';
import type { ArtifactStore, StoredArtifact } from './store.js';

/** The stores a run asks, in order: the project's, the user's, and the one this package ships (spec/artifacts.md section 6). */
export function artifactStores(from: {
  readonly projectRoot?: string;
  readonly murmurHome?: string;
}): readonly ArtifactStore[] {
  return [
    ...(from.projectRoot === undefined ? [] : [localStore('project', projectStoreRoot(from.projectRoot))]),
    ...(from.murmurHome === undefined ? [] : [localStore('global', join(from.murmurHome, 'artifacts'))]),
    embeddedStore(),
  ];
}

/** What the first of the stores that has the artifact gives for this host; `undefined` when none has it. */
export async function findStored(
  stores: readonly ArtifactStore[],
  { name, version }: { readonly name: string; readonly version: string },
): Promise<StoredArtifact | undefined> {
  for (const store of stores) {
    const stored = await store.find(name, version, hostPlatform());
    if (stored !== undefined) return stored;
  }
  return undefined;
}

/** Where the store of a project lies. */
export function projectStoreRoot(projectRoot: string): string {
  return join(projectRoot, '.murmur', 'artifacts');
}

/** The nearest folder at or above `from` that holds `murmur.yaml`; `undefined` when none does. */
export function findProjectRoot(from: string): string | undefined {
  let folder = resolve(from);
  while (!existsSync(join(folder, 'murmur.yaml'))) {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return folder;
}

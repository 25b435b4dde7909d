import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MurError } from '../errors/index.js';
import { artifactNameProblem } from '../manifest/index.js';
import { parseArtifactManifest } from './manifest.js';
import { fileNames, readArtifactFile } from './payload.js';
import type { ArtifactStore } from './store.js';

/**
 * The artifacts this package ships, `artifacts/<name>/`: one version of each, always there, so a fresh install can run a
 * capsule before anything was installed.
 */
export function embeddedStore(root: string = join(packageRoot(), 'artifacts')): ArtifactStore {
  const versionOf = (name: string): string | undefined => {
    // The name becomes a folder name, so it must be one.
    if (name.includes('/') || artifactNameProblem(name) !== undefined) return undefined;
    const manifest = join(root, name, 'murmur.yaml');
    if (!existsSync(manifest)) return undefined;
    return parseArtifactManifest(readArtifactFile(manifest).toString('utf8'), manifest).version;
  };
  return {
    find: async (name, version) => {
      if (versionOf(name) !== version) return undefined;
      const place = join(root, name);
      return { from: 'embedded', place, names: fileNames(place), read: (file) => readArtifactFile(join(place, file)) };
    },
    versions: async (name) => {
      const version = versionOf(name);
      return version === undefined ? [] : [version];
    },
  };
}

/** The folder of this package: the nearest one above this file with a `package.json`, in the source tree and in `dist`. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new MurError('E-IO-003', 'the folder of the mur package was not found above its code');
    folder = parent;
  }
  return folder;
}

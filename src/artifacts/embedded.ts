import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
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
      const files = new Map(
        [...fileNames(place)].sort().map((file) => [file, readArtifactFile(join(place, file))] as const),
      );
      return {
        from: 'embedded',
        place,
        names: [...files.keys()],
        sha256: digestOf(files),
        read: async (file) => {
          const bytes = files.get(file);
          if (bytes === undefined) throw new MurError('E-IO-003', `the artifact in ${place} has no file '${file}'`);
          return bytes;
        },
      };
    },
    versions: async (name) => {
      const version = versionOf(name);
      return version === undefined ? [] : [version];
    },
    names: async () => readdirSync(root).filter((name) => versionOf(name) !== undefined),
  };
}

/** One digest of all of `files`: their names, lengths and bytes, in name order. */
function digestOf(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256');
  for (const [name, bytes] of files) hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  return hash.digest('hex');
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

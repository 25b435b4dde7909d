/**
 * What a run is of: the manifest of a project, or a capsule from the stores, whose manifest and component never touch the disk
 * (spec/cli.md 11.1 `--capsule`). Not the flags of a run (run.ts).
 */
import { posix, resolve } from 'node:path';
import {
  artifactStores,
  findProjectRoot,
  findStored,
  hostPlatform,
  parseArtifactManifest,
  readCapsuleComponent,
  type StoredArtifact,
  selectRootWasm,
} from './artifacts/index.js';
import { MurError } from './errors/index.js';
import { expectationsOf, readLock } from './lock/index.js';
import {
  type ManifestWarning,
  parseManifest,
  type RuntimeManifest,
  readManifestText,
  toolNameOf,
} from './manifest/index.js';
import type { StageRequest } from './stage/index.js';
import { murVersion } from './version.js';

/** A capsule in a store, by its exact version. */
export interface CapsuleRef {
  readonly name: string;
  readonly version: string;
}

export interface Subject {
  /** Base of relative paths, and of the default work folder. */
  readonly dir: string;
  readonly manifest: RuntimeManifest;
  readonly warnings: readonly ManifestWarning[];
  /** What staging is told of it, read once the flags of the run fit it. */
  readonly load: () => Loaded;
}

export type Loaded = Pick<
  StageRequest,
  | 'manifestFile'
  | 'manifestText'
  | 'capsuleArtifact'
  | 'capsuleComponent'
  | 'readCapsuleFile'
  | 'lockExpectations'
  | 'createLockIn'
>;

/** The project whose manifest is `manifestFile`. */
export function projectSubject(manifestFile: string): Subject {
  const dir = resolve(manifestFile, '..');
  const manifestText = readManifestText(manifestFile);
  const { manifest, warnings } = parseManifest(manifestText, { path: manifestFile, release: murVersion });
  return {
    dir,
    manifest,
    warnings,
    load: () => ({
      manifestFile,
      manifestText,
      // Before the component: the lock is read first (spec/cli.md 11.2 steps 9 to 11).
      ...planLock(dir, manifest),
      ...(manifest.inference === undefined ? { capsuleComponent: readCapsuleComponent(dir).bytes } : {}),
    }),
  };
}

/** With a lock, what it pins on this host; without one, that one is to be made. */
function planLock(dir: string, { artifacts }: RuntimeManifest): Pick<Loaded, 'lockExpectations' | 'createLockIn'> {
  const lock = readLock(dir);
  if (lock === undefined) return { createLockIn: dir };
  const fromStores = artifacts.filter(({ source }) => source === undefined);
  return { lockExpectations: expectationsOf(lock, fromStores, hostPlatform()) };
}

/**
 * The capsule `ref` from the stores of this folder's project and of the user. It has no folder: files that its manifest names are read
 * from its archive, and an entry with `source:` is refused, so a capsule from elsewhere reads nothing of this disk. No lock.
 */
export async function installedSubject(ref: CapsuleRef, murmurHome: string): Promise<Subject> {
  const label = `${ref.name}@${ref.version}`;
  const stored = await findCapsule(ref, murmurHome);
  const where = `murmur.yaml of ${label}`;
  const text = new TextDecoder().decode(await stored.read('murmur.yaml'));
  const { runtime } = parseArtifactManifest(text, where);
  if (runtime !== 'capsule') {
    throw new MurError(
      'E-MAN-003',
      `${label} cannot be run: its murmur.yaml says 'runtime: ${runtime}', expected capsule`,
    );
  }
  const { manifest, warnings } = parseManifest(text, { path: where, release: murVersion });
  const sourced = manifest.artifacts.find(({ source }) => source !== undefined);
  if (sourced !== undefined) {
    throw new MurError(
      'E-MAN-003',
      `${where}: artifact '${sourced.name}' has source:, and an installed capsule has no folder to read it from`,
      { hint: 'publish that artifact and declare its version, or run the capsule from its project' },
    );
  }
  const component = manifest.inference === undefined ? await readComponent(stored, label) : undefined;
  return {
    dir: resolve('.'),
    // Its own name is the last part: the whole one is that of the artifact, and no folder can be called so.
    manifest: { ...manifest, name: toolNameOf(manifest.name) },
    warnings,
    load: () => ({
      capsuleArtifact: ref.name,
      ...(component === undefined ? {} : { capsuleComponent: component }),
      readCapsuleFile: async (path) => {
        const name = posix.normalize(path);
        if (!stored.names.includes(name)) throw new Error(`the archive of ${label} holds no such file`);
        return stored.read(name);
      },
    }),
  };
}

async function findCapsule(ref: CapsuleRef, murmurHome: string): Promise<StoredArtifact> {
  const projectRoot = findProjectRoot('.');
  const stores = artifactStores({ murmurHome, ...(projectRoot === undefined ? {} : { projectRoot }) });
  const stored = await findStored(stores, ref);
  if (stored !== undefined) return stored;
  const label = `${ref.name}@${ref.version}`;
  throw new MurError('E-RUN-008', `missing artifacts: ${label}`, { hint: `mur install -g ${label}` });
}

async function readComponent(stored: StoredArtifact, label: string): Promise<Uint8Array> {
  const found = selectRootWasm(stored.names);
  if (found.kind === 'one') return stored.read(found.name);
  throw new MurError(
    'E-RUN-004',
    found.kind === 'none'
      ? `no capsule component found in ${label} (expected capsule.wasm or exactly one root *.wasm)`
      : `multiple root *.wasm files found in ${label}: ${found.names.join(', ')} (set capsule.wasm explicitly)`,
    { hint: 'build the capsule again, or add inference: to make it an agent capsule' },
  );
}

/**
 * The artifact stores of a project and of a user, on disk (spec/artifacts.md section 6). Not the artifacts this package ships
 * (embedded.ts), not where artifacts come from (registries/).
 * Read next: local/set.ts (what is in one, and how it is replaced whole), local/read.ts, local/write.ts, local/walk.ts.
 *
 * Does not stop: somebody who may write into a store. Its hashes guard against decay and torn writes; the lock guards the rest.
 */
import { join } from 'node:path';
import { MurError } from '../errors/index.js';
import { artifactNameProblem, versionProblem } from '../manifest/index.js';
import { shorten } from '../text/index.js';
import { openArchive } from './archive.js';
import type { ArtifactMeta, PackedArtifact } from './describe.js';
import { artifactFileStem } from './file-name.js';
import { inFolders } from './local/folders.js';
import { writeMeta } from './local/meta.js';
import { readSet } from './local/read.js';
import {
  isStoreFolder,
  longestFileName,
  type Mode,
  maxFileNameBytes,
  partPath,
  setPlace,
  versionFolder,
} from './local/set.js';
import { versionsOf, walkStore } from './local/walk.js';
import { writeSet } from './local/write.js';
import type { ArtifactStore, StoredArtifact } from './store.js';

/** One artifact of a store; a native one has a row per platform. */
export interface StoreRow {
  readonly meta: ArtifactMeta;
  /** Set when the file is tagged with one. */
  readonly platform?: string;
  /** The archive. */
  readonly path: string;
}

/** Something below a store that cannot be used. */
export interface StoreProblem {
  readonly path: string;
  readonly reason: string;
}

/** A folder of artifacts (spec/artifacts.md section 6). */
export interface LocalStore extends ArtifactStore {
  readonly kind: 'project' | 'global';
  readonly root: string;
  /** Files the artifact, replacing what is there: whole or not at all. */
  put(artifact: PackedArtifact): Promise<{ readonly path: string }>;
  /** The same; `E-REG-003` when the name and version exist already, whoever was first. */
  publish(artifact: PackedArtifact): Promise<{ readonly path: string }>;
  /** What it holds, by name, version and packaging type. Leaves out what is not whole. */
  list(): Promise<readonly StoreRow[]>;
  /** What lies in it and is no usable artifact. Opens no archive. */
  problems(): Promise<readonly StoreProblem[]>;
}

export interface LocalStoreOptions {
  /** Called before each step of a write, with its name. What it throws is a failure of that step. */
  readonly onStep?: (step: string) => void;
}

/** The store in the folder `root`, which need not exist: the first write makes it. */
export function localStore(kind: LocalStore['kind'], root: string, options: LocalStoreOptions = {}): LocalStore {
  const write = (artifact: PackedArtifact, mode: Mode): { readonly path: string } =>
    fileArtifact({ kind, root, options, artifact, mode });
  return {
    kind,
    root,
    put: async (artifact) => write(artifact, 'replace'),
    publish: async (artifact) => write(artifact, 'new'),
    list: async () => walkStore(root).rows,
    problems: async () => walkStore(root).problems,
    find: (name, version, platform) => find(kind, root, { name, version, platform }),
    versions: async (name) => (artifactNameProblem(name) === undefined ? versionsOf(root, name) : []),
    names: async () => [...new Set(walkStore(root).rows.map(({ meta }) => meta.name))],
  };
}

interface Wanted {
  readonly name: string;
  readonly version: string;
  readonly platform: string;
}

/** The variant for the platform, else the one for all (spec/artifacts.md section 6). */
async function find(kind: LocalStore['kind'], root: string, wanted: Wanted): Promise<StoredArtifact | undefined> {
  const { name, version } = wanted;
  // Both become folder names, so they must be ones.
  if (artifactNameProblem(name) !== undefined || versionProblem(version) !== undefined) return undefined;
  if (!hasFolder(root, versionFolder(name, version))) return undefined;
  for (const platform of [wanted.platform, undefined]) {
    const place = setPlace(root, name, version, platform);
    const set = readSet(place, name, version);
    if (set === undefined) continue;
    const path = partPath(place, '.mur.zip');
    const archive = await openArchive(set.bytes, `for ${name}@${version}`);
    const isUntagged = platform === undefined && set.meta.runtime === 'native';
    return {
      from: kind,
      place: path,
      names: archive.names,
      sha256: set.sha256,
      ...(platform === undefined ? {} : { platform }),
      ...(set.isUndescribed ? { isUndescribed: true } : {}),
      ...(isUntagged ? { warnings: [untagged(name, version, path)] } : {}),
      read: (file) => archive.read(file),
    };
  }
  return undefined;
}

function untagged(name: string, version: string, path: string): NonNullable<StoredArtifact['warnings']>[number] {
  return {
    code: 'W-REG-001',
    message: `native artifact '${name}@${version}' is stored without a platform (${path}), so whether it fits this host shows only when it is read`,
  };
}

/** Whether all of `folders`, one inside the other, are below `root`. A link among them is refused. */
function hasFolder(root: string, folders: readonly string[]): boolean {
  return folders.every((_, index) => isStoreFolder(join(root, ...folders.slice(0, index + 1))));
}

function fileArtifact(task: {
  readonly kind: LocalStore['kind'];
  readonly root: string;
  readonly options: LocalStoreOptions;
  readonly artifact: PackedArtifact;
  readonly mode: Mode;
}): { readonly path: string } {
  const { root, artifact, mode } = task;
  const { name, version } = artifact.meta;
  checkIdentity(name, version, artifact.platform);
  // What is below ~/.murmur is the user's alone; a project's is as open as the project.
  const [folderMode, fileMode] = task.kind === 'global' ? [0o700, 0o600] : [0o777, 0o666];
  const place = setPlace(root, name, version, artifact.platform);
  const outcome = inFolders(root, versionFolder(name, version), folderMode, () =>
    writeSet({
      place,
      mode,
      folderMode,
      fileMode,
      files: { '.mur.zip': artifact.bytes, '.sha256': `${artifact.sha256}\n`, '.meta.json': writeMeta(artifact.meta) },
      onStep: task.options.onStep ?? (() => undefined),
    }),
  );
  if (outcome === 'written') return { path: partPath(place, '.mur.zip') };
  throw new MurError('E-REG-003', `artifact ${name}@${version} already exists in registry ${root}`);
}

function checkIdentity(name: string, version: string, platform: string | undefined): void {
  const problem = artifactNameProblem(name);
  if (problem !== undefined) throw new MurError('E-BLD-001', `invalid artifact name '${shorten(name)}': ${problem}`);
  const wrong = versionProblem(version) ?? longNameProblem(name, version, platform);
  if (wrong === undefined) return;
  throw new MurError('E-MAN-003', `invalid version '${shorten(version)}' of artifact '${shorten(name)}': ${wrong}`);
}

/** A version of any allowed length fits, with the platforms mur knows; `mur publish --platform` takes longer ones. */
function longNameProblem(name: string, version: string, platform: string | undefined): string | undefined {
  const bytes = Buffer.byteLength(longestFileName(artifactFileStem(name, version, platform)));
  return bytes <= maxFileNameBytes
    ? undefined
    : `its file would have a name of ${bytes} bytes, and a file system takes ${maxFileNameBytes}`;
}

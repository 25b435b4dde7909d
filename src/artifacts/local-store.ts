import { MurError } from '../errors/index.js';
import type { ArtifactMeta, PackedArtifact } from './describe.js';
import type { ArtifactStore } from './store.js';

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
  /** The same; `E-REG-003` when the name and version exist already. */
  publish(artifact: PackedArtifact): Promise<{ readonly path: string }>;
  /** What it holds, by name, version and packaging type. Leaves out what `problems` names. */
  list(): Promise<readonly StoreRow[]>;
  /** What lies in it and is no usable artifact. Reads only names and small files. */
  problems(): Promise<readonly StoreProblem[]>;
}

export function localStore(_kind: 'project' | 'global', root: string): LocalStore {
  throw new MurError('E-IO-003', `cannot use the artifact store ${root}`);
}

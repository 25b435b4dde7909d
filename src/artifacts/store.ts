import type { WarningCode } from '../errors/index.js';

/** The files of one stored artifact, wherever they lie: in an archive, or in a folder of this package. */
export interface StoredArtifact {
  readonly from: 'project' | 'global' | 'embedded';
  /** For messages: the archive or folder. */
  readonly place: string;
  /** Names of its files, with `/` between folders. */
  readonly names: readonly string[];
  /** Lowercase hex sha256: of the whole archive; for an embedded artifact, of its root files. */
  readonly sha256: string;
  /** `linux-x86_64`: set when what was found is the variant for that platform. */
  readonly platform?: string;
  /** Set when what describes it beside the archive is missing or is not about it. Storing it again mends that. */
  readonly isUndescribed?: true;
  /** What is worth telling although the artifact is usable. */
  readonly warnings?: readonly { readonly code: WarningCode; readonly message: string }[];
  /** The bytes of one file. Rejects with a `MurError`. */
  read(name: string): Promise<Uint8Array>;
}

/** A place artifacts are found in by exact name and version. */
export interface ArtifactStore {
  /** `platform` picks among native payloads. `undefined` when the store does not have it; any other trouble rejects. */
  find(name: string, version: string, platform: string): Promise<StoredArtifact | undefined>;
  /** Versions of `name` the store could give instead; for hints. */
  versions(name: string): Promise<readonly string[]>;
  /** Every name the store has; for hints. */
  names(): Promise<readonly string[]>;
}

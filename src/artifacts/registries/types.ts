/** The public types of this folder. The archive format is src/artifacts/describe.ts. */
import type { Secret } from '../../errors/index.js';
import type { PackedArtifact } from '../describe.js';

/** One entry of `registry.sources` in config.yaml (spec/config.md section 2). */
export interface SourceSettings {
  readonly name: string;
  readonly type: string;
  /** `owner/name`. A source without one is misconfigured: it says so, and the chain goes on. */
  readonly repo?: string;
  readonly url?: string;
  /** As written: `${VAR}`, the name of a variable, or the token itself. */
  readonly token?: Secret;
}

/** `registry` of the effective config.yaml: which sources there are. Not `registry` of a murmur.yaml (choose.ts). */
export interface RegistrySettings {
  /** Name of the source that is asked first. */
  readonly default: string;
  /** Where `mur search` looks. */
  readonly indexUrl?: string;
  readonly sources: readonly SourceSettings[];
}

/** How far one download is. `receivedBytes` counts from the start of the file, also after a resumption. */
export interface DownloadProgress {
  /** For people: the artifact or asset that is fetched. */
  readonly name: string;
  readonly receivedBytes: number;
  /** Absent while the server has not said. */
  readonly totalBytes?: number;
}

/** What every request of this folder is made with. */
export interface RegistryContext {
  readonly config: RegistrySettings;
  readonly env: NodeJS.ProcessEnv;
  /** Folder for files that are not whole yet; made, 0700, when first needed. */
  readonly downloads: string;
  readonly onProgress?: (progress: DownloadProgress) => void;
  readonly signal?: AbortSignal;
}

export interface FetchRequest {
  readonly name: string;
  /** Absent: what the latest release has. */
  readonly version?: string;
  /** The platform a native payload is for: `linux-x86_64`. */
  readonly platform: string;
}

/** An artifact whose bytes were verified. */
export interface Fetched {
  readonly artifact: PackedArtifact;
  /** Where it came from; safe to print. */
  readonly from: string;
}

/** A release by its tag: `github:owner/repo@tag`. */
export interface ReleaseRef {
  readonly owner: string;
  readonly repo: string;
  readonly tag: string;
}

/** The sources of config.yaml, the default one first. The first that has an artifact gives it. */
export interface SourceChain {
  /**
   * The artifact, from the first source that has it. `E-REG-001` when every source says no, `E-REG-006` when none has it and at
   * least one did not answer. An archive that is not what was asked for ends the search.
   */
  fetch(request: FetchRequest): Promise<Fetched>;
  /** Every `.mur.zip` asset of one release, in the order the release lists them. */
  fetchRelease(ref: ReleaseRef): Promise<readonly Fetched[]>;
  /** Every platform variant of one version, at least one. */
  allPlatforms(name: string, version: string): Promise<readonly Fetched[]>;
}

/** One artifact as a registry lists it. Untrusted text: show it through the safe-text helpers. */
export interface IndexEntry {
  readonly name: string;
  readonly version: string;
  readonly runtime: string;
  readonly artifactRuntime?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly platforms: readonly string[];
}

/** A remote registry (spec/artifacts.md section 8.3). */
export interface RemoteRegistry {
  /** The address without credentials or a trailing slash; safe to print. */
  readonly url: string;
  /** `E-REG-001` when it has no such artifact. A request without a version is `E-REG-001` too: this API has no latest. */
  fetch(request: FetchRequest): Promise<Fetched>;
  /** `E-REG-003` when the version exists, `E-REG-004` for a reserved one. */
  publish(artifact: PackedArtifact): Promise<{ readonly artifactId: string; readonly sha256: string }>;
  index(): Promise<readonly IndexEntry[]>;
}

/** `registry` of the workspace's murmur.yaml (spec/config.md section 5), as far as it was written. */
export interface WorkspaceRegistry {
  readonly default?: string;
  readonly remoteUrl?: string;
}

/** Where `mur install` and `mur publish` go. */
export type RegistryChoice =
  | 'local'
  /** `isFromManifest`: the project chose who gets the key, so whoever runs the command is told. */
  | { readonly url: string; readonly isFromManifest?: true };

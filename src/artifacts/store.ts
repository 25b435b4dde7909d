/** The root files of one stored artifact, wherever they lie: a folder today, an archive later. */
export interface StoredArtifact {
  readonly from: 'embedded';
  /** For messages: the folder or archive. */
  readonly place: string;
  /** Names of its root files. */
  readonly names: readonly string[];
  /** The bytes of one of them. Throws a `MurError`. */
  read(name: string): Uint8Array;
}

/** A place artifacts are found in by exact name and version. */
export interface ArtifactStore {
  /** `platform` picks among native payloads. `undefined` when the store does not have it. */
  find(name: string, version: string, platform: string): Promise<StoredArtifact | undefined>;
  /** Versions of `name` the store could give instead; for hints. */
  versions(name: string): Promise<readonly string[]>;
}

/** The platform word of artifact files: `linux-x86_64`, `darwin-aarch64`, else `unknown` (spec/artifacts.md section 3). */
export function hostPlatform(platform: string = process.platform, arch: string = process.arch): string {
  const cpu = { x64: 'x86_64', arm64: 'aarch64' }[arch];
  return (platform === 'linux' || platform === 'darwin') && cpu !== undefined ? `${platform}-${cpu}` : 'unknown';
}

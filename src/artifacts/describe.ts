import { MurError } from '../errors/index.js';

/** What a store keeps of an artifact beside its bytes (spec/artifacts.md section 6). */
export interface ArtifactMeta {
  readonly name: string;
  readonly version: string;
  /** Packaging type. */
  readonly runtime: 'wasm' | 'native' | 'static';
  /** Role: `tool`, `driver`, `hook`, `skill`, `capsule`, or a word of the artifact's own. */
  readonly artifactRuntime: string;
  readonly platforms: readonly (readonly [os: string, arch: string])[];
  readonly description?: string;
  readonly tags: readonly string[];
  /** WIT interfaces of its component, as it names them: `murmur:tool/run@0.1.0`. */
  readonly imports: readonly string[];
  readonly exports: readonly string[];
}

/** An artifact as it travels: its archive, and what was read from it. */
export interface PackedArtifact {
  readonly meta: ArtifactMeta;
  /** `linux-x86_64`, for a native artifact. */
  readonly platform?: string;
  readonly bytes: Uint8Array;
  /** Lowercase hex sha256 of the whole zip. */
  readonly sha256: string;
}

export interface DescribeOptions {
  /** The platform a native artifact must be for. */
  readonly platform?: string;
  /** Version of an artifact whose manifest has none (a release's tag). */
  readonly fallbackVersion?: string;
}

export async function describeArchive(
  _bytes: Uint8Array,
  place: string,
  _options: DescribeOptions = {},
): Promise<PackedArtifact> {
  throw new MurError('E-IO-003', `failed to read artifact archive ${place}`);
}

import type { ArtifactEntry, ArtifactRole } from '../manifest/index.js';

/** Output and input limits of one model, from a driver's `models:` table (spec/drivers.md section 7). */
export interface ModelLimits {
  readonly maxOutputTokens: number;
  readonly contextWindow: number;
  readonly maxInputTokens?: number;
}

/** The header an artifact's upstream wants its key in (spec/artifacts.md section 2.3). `value` holds `{key}` once. */
export interface UpstreamAuth {
  readonly header: string;
  readonly value: string;
}

/** How an artifact is packed: a component, a program per platform, or files that nothing executes. */
export type PackagingType = 'wasm' | 'native' | 'static';

/** `murmur.yaml` inside an artifact (spec/artifacts.md section 2). Grants nothing: `capabilities:` in it is inert. */
export interface ArtifactManifest {
  readonly name: string;
  readonly version: string;
  /** A free word for the loader; the roles of a capsule entry are a subset. */
  readonly runtime: string;
  readonly implementation: 'wasm' | 'native';
  /** `execution:`, which settles the packaging type. Absent when not declared. */
  readonly execution?: PackagingType;
  /** `requires_files:`, with the default of its role (spec/artifacts.md section 2). */
  readonly requiresFiles: readonly string[];
  readonly description?: string;
  readonly summary?: string;
  readonly tags: readonly string[];
  /** Tool parameters as declared: JSON text or a value. Absent when none. */
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  /** Present only when usable. */
  readonly upstreamAuth?: UpstreamAuth;
  /** Why `upstream_auth:` (or its retired name) is unusable, when it was declared. */
  readonly upstreamAuthProblem?: string;
  /** Exact model id to limits. Absent when the artifact carries no table. */
  readonly models?: ReadonlyMap<string, ModelLimits>;
  /** False for a driver that opens no connection and so takes no gateway (`needs_gateway: false`, a key of ours). */
  readonly needsGateway: boolean;
  readonly hook: { readonly binding?: string; readonly executionMode?: string; readonly commitPolicy?: string };
}

export type ArtifactPayload =
  | { readonly kind: 'wasm'; readonly bytes: Uint8Array }
  /** The image of a native tool, checked to be for this host as far as its format tells. */
  | { readonly kind: 'native'; readonly bytes: Uint8Array }
  | { readonly kind: 'skill'; readonly text: string };

/** One declared artifact with its bytes in hand. */
export interface ResolvedArtifact {
  readonly entry: ArtifactEntry;
  /** Tool name: the last segment of the declared name. */
  readonly name: string;
  readonly fullName: string;
  readonly version: string;
  /** What it is staged as; a skill-shaped `source:` is a skill whatever the entry says. */
  readonly role: ArtifactRole;
  readonly implementation: 'wasm' | 'native';
  /** Who pinned it; `operator` for what nothing pins. */
  readonly origin: 'operator' | 'runtime';
  /** Lowercase hex sha256: of the whole archive of a stored artifact; of the payload of one from a source path or of our own. */
  readonly sha256: string;
  /** `linux-x86_64`, when the variant for that platform was resolved. */
  readonly platform?: string;
  /** Text of the artifact's own manifest; for a bare skill file, one written for it. */
  readonly manifestText: string;
  readonly manifest: ArtifactManifest;
  readonly payload: ArtifactPayload;
  readonly from: 'source' | 'project' | 'global' | 'embedded';
}

import type { ArtifactEntry } from './artifact.js';
import type { Capabilities } from './capabilities.js';
import type { ContextConfig } from './context.js';
import type { ControlConfig } from './control.js';
import type { ExportsConfig } from './exports.js';
import type { InferenceConfig } from './inference.js';
import type { LifecycleConfig } from './lifecycle.js';
import type { NetworkConfig } from './network.js';
import type { ObservabilityConfig } from './observability.js';
import type { TraceConfig } from './trace.js';

/** A capsule manifest that passed every parse rule (spec/manifest.md). Plain data; defaults filled in where a block has them. */
export interface RuntimeManifest {
  readonly name: string;
  readonly version: string;
  /** The `mur` release the author pinned. */
  readonly murVersion?: string;
  readonly artifacts: readonly ArtifactEntry[];
  readonly capabilities?: Capabilities;
  readonly network: NetworkConfig;
  /** Absent for a script capsule. */
  readonly inference?: InferenceConfig;
  readonly context: ContextConfig;
  readonly observability: ObservabilityConfig;
  readonly trace: TraceConfig;
  readonly lifecycle: LifecycleConfig;
  /** Absent exports nothing. */
  readonly exports?: ExportsConfig;
  /** Empty lists when the capsule has no control surface. */
  readonly control: ControlConfig;
}

/** Something a person should hear about although the manifest parses. */
export interface ManifestWarning {
  /** Absent for the plain `warning:` lines that upstream prints without a code. */
  readonly code?: 'W-SEC-019' | 'W-RUN-901';
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

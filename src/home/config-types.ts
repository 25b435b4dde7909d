/** What configuration files say, one by one (`ConfigFile`) and together (`EffectiveConfig`). spec/config.md sections 2 and 3. */
import type { Secret } from '../errors/index.js';
import type { ContainmentClass } from '../manifest/containment.js';

/** One entry of `registry.sources`. */
export interface RegistrySource {
  readonly name: string;
  readonly type: 'github';
  /** `owner/name`. */
  readonly repo?: string;
  readonly url?: string;
  /** As written: `${VAR}`, the name of a variable, or the token itself. */
  readonly token?: Secret;
}

/** Texts that are absent are empty. */
export interface InferenceSettings {
  readonly provider: string;
  readonly model: string;
  readonly endpoint: string;
  readonly apiKey?: Secret;
}

/** One entry of `host_paths` as it is written; config-host-paths.ts says what it may be. */
export interface DeclaredHostPath {
  readonly path?: string;
  readonly access?: 'read' | 'read-write';
}

interface Settings {
  readonly registry: {
    /** Name of the source that is tried first; empty when none is named. */
    readonly default: string;
    /** Where `mur search` looks; empty in a file that does not say. */
    readonly indexUrl: string;
    /** In the order in which they are tried after the default one. */
    readonly sources: readonly RegistrySource[];
  };
  readonly inference: InferenceSettings;
  /** By name; `undefined` for one that is written and empty, which counts as absent. */
  readonly credentials: ReadonlyMap<string, Secret | undefined>;
  readonly betaEnabled: readonly string[];
  /** Absent: no vote. */
  readonly containment?: ContainmentClass;
  readonly spend: { readonly machineTokensPerDay?: number };
  readonly hostPaths: readonly DeclaredHostPath[];
  /** Names that may resolve to private addresses. Lower case. */
  readonly privateNames: readonly string[];
  /** Serve live inspection on every door. */
  readonly inspect: boolean;
  /** What the operator should hear. Never a value. */
  readonly warnings: readonly string[];
}

/** What one file says. */
export interface ConfigFile extends Settings {
  /** For messages. */
  readonly path: string;
}

/** The configuration that counts: the global file, or the built-in default when there is none, under the project's. */
export interface EffectiveConfig extends Settings {}

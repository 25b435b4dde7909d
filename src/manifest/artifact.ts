import type { Capabilities } from './capabilities.js';
import type { ConfigBlock } from './config-block.js';
import type { Gateway } from './gateway.js';

export const artifactRoles = ['tool', 'driver', 'hook', 'skill'] as const;

export type ArtifactRole = (typeof artifactRoles)[number];

/** One entry of `artifacts:`: what the operator asks for and grants (spec/manifest.md section 4). */
export interface ArtifactEntry {
  /** Position in the manifest, for messages. */
  readonly index: number;
  /** As written: `<name>` or `<scope>/<name>`. */
  readonly name: string;
  /** The last segment of `name`: what a model and a driver reference call it. */
  readonly toolName: string;
  /** `local` for an entry with `source`. */
  readonly version: string;
  readonly runtime: ArtifactRole;
  /** Path as written, relative to the manifest's folder. */
  readonly source?: string;
  readonly localSource: boolean;
  readonly promptPayload: boolean;
  readonly capabilities?: Capabilities;
  readonly config?: ConfigBlock;
  readonly gateway?: Gateway;
  readonly onOverflow: 'drop' | 'block';
}

/** The public types of building. */
import type { WarningCode } from '../errors/index.js';

/** A finding that does not stop a build. `message` names paths and keys, never a value that may be secret. */
export interface BuildWarning {
  readonly code: WarningCode;
  readonly message: string;
}

export interface BuildOptions {
  /** The folder that holds the artifact's `murmur.yaml`. */
  readonly source: string;
  /** A folder, or a file that ends in `.mur.zip`. Default: the source folder. */
  readonly output?: string;
  readonly onWarning?: (warning: BuildWarning) => void;
  /** Told before each step that takes time. */
  readonly onProgress?: (step: string) => void;
}

export interface Built {
  readonly name: string;
  readonly version: string;
  /** The role: tool, driver, hook, skill, capsule. */
  readonly runtime: string;
  /** Where the archive is. */
  readonly path: string;
  /** Lowercase hex of the whole archive. */
  readonly sha256: string;
  readonly bytes: number;
  /** Names in the archive, `murmur.yaml` first. */
  readonly entries: readonly string[];
  /** What the compiled source asks of its host, by WIT interface; absent when nothing was compiled. */
  readonly imports?: readonly string[];
}

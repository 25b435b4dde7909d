/**
 * A free-form block delivered to an artifact as JSON (spec/manifest.md section 4.4).
 *
 * `problem` says why it cannot be delivered; the parser keeps such a block because the refusal belongs to staging.
 */
export interface ConfigBlock {
  /** The value with its mappings as plain objects. Key order of integer-like keys is not kept here, only in `json`. */
  readonly value: unknown;
  /** Compact JSON in the order it was written. Empty when `problem` is set. */
  readonly json: string;
  readonly problem?: string;
}

/**
 * What a capsule may do: the manifest lowered to one resolved value, checked before anything is touched, and narrowed per
 * artifact. Not enforcement: that sits beside each effect (src/wasm/egress, workers/wasi, src/shell).
 * Read next: policy.ts, validate.ts, grant.ts, environment.ts.
 */
export type {
  CapabilityPolicy,
  DerivedInterpreterRuntime,
  HostPath,
  HostResourceLimits,
  TrustStorePath,
} from './policy.js';

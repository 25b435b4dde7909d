/**
 * What a capsule may do: the manifest lowered to one resolved value, checked before anything is touched, and narrowed per
 * artifact. Not enforcement: that sits beside each effect (src/wasm/egress, workers/wasi).
 * Read next: policy.ts, validate.ts, grant.ts, environment.ts, network.ts.
 */
export { guestEnvironment, isRuntimeVariable } from './environment.js';
export {
  type ArtifactGrant,
  artifactGrant,
  commandProblem,
  nativeWarnings,
  type PolicyWarning,
  startProblem,
} from './grant.js';
export { type HostResourceLimits, resolveLimits, resolveResources } from './limits.js';
export {
  covers,
  isPrivateAddress,
  matches,
  type NetworkRule,
  type NetworkTarget,
  parseAllowEntry,
  parseTarget,
  permitsPrivate,
} from './network.js';
export { credentialPatterns, looksLikeCredential, matchesPattern, stripRule } from './patterns.js';
export {
  type CapabilityPolicy,
  capabilityPolicyFromManifest,
  type DerivedInterpreterRuntime,
  defaultCapabilityPolicy,
  type HostPath,
  hookLimits,
  type TrustStorePath,
} from './policy.js';
export { reservedToolNames } from './reserved.js';
export { shellNames } from './shell-names.js';
export { maxConfigBytes, type StagingDeclarations, surveyStaging, validateStaging } from './validate.js';

/**
 * Manifest text to a typed value. Pure: no file, network or environment is touched by `parseManifest`. Not the policy
 * (src/policy), not resolution (src/artifacts), not the artifact's own manifest (src/artifacts/manifest.ts).
 * Read next: parse.ts (the walk), then one file per block.
 */
export { type ArtifactEntry, type ArtifactRole, artifactRoles } from './artifact.js';
export type { Capabilities } from './capabilities.js';
export type { ConfigBlock } from './config-block.js';
export { type ContainmentClass, containmentClasses } from './containment.js';
export type { ContextConfig } from './context.js';
export type { ApiKey, Gateway } from './gateway.js';
export type {
  AlternateChoice,
  CompactionConfig,
  DriverReference,
  InferenceConfig,
  PromptSource,
} from './inference.js';
export type { InstallGrant } from './install.js';
export {
  type AfterTask,
  afterTasks,
  type LifecycleConfig,
  type LifecycleOverride,
  type TaskAcceptance,
  taskAcceptances,
} from './lifecycle.js';
export type { LimitsDeclared, ResourcesDeclared } from './limits.js';
export type { ManifestWarning, RuntimeManifest } from './manifest.js';
export type { DoorAuthentication, NetworkConfig } from './network.js';
export type { EvalConfig, ObservabilityConfig, Scorer } from './observability.js';
export type { InterpreterRuntimeGrant, ShellGrant, StagedRuntimeGrant } from './shell.js';
export type { TraceConfig } from './trace.js';

/**
 * Manifest text to a typed value. Pure: no file, network or environment is touched by `parseManifest`. Not the policy
 * (src/policy), not resolution (src/artifacts), not the artifact's own manifest (src/artifacts/manifest.ts).
 * Read next: parse.ts (the walk), then one file per block.
 */
export { type ArtifactEntry, type ArtifactRole, artifactRoles } from './artifact.js';
export type { Capabilities } from './capabilities.js';
export type { ConfigBlock } from './config-block.js';
export {
  type ContainmentClass,
  containmentClasses,
  isContainmentClass,
  strongestContainment,
} from './containment.js';
export type { ContextConfig } from './context.js';
export type { ControlConfig } from './control.js';
export { findEntry } from './drivers.js';
export { endpointProblem } from './endpoint.js';
export type { ExportsConfig } from './exports.js';
export type { ApiKey, Gateway } from './gateway.js';
export { artifactNameProblem, pathSegmentProblem, subpathProblem, toolNameOf, versionProblem } from './grammar.js';
export type {
  AlternateChoice,
  CompactionConfig,
  DriverReference,
  InferenceConfig,
} from './inference.js';
export type { InstallGrant } from './install.js';
export {
  type AfterTask,
  afterTasks,
  type LifecycleConfig,
  type LifecycleOverride,
  overrideLifecycle,
  type TaskAcceptance,
  taskAcceptances,
} from './lifecycle.js';
export type { LimitsDeclared, ResourcesDeclared } from './limits.js';
export type { ManifestWarning, RuntimeManifest } from './manifest.js';
export type { DoorAuthentication, NetworkConfig } from './network.js';
export type { EvalConfig, ObservabilityConfig, Scorer } from './observability.js';
export { type ManifestSource, parseManifest } from './parse.js';
export type { PromptSource } from './prompt.js';
export { readManifestText } from './read.js';
export { isMissing, readRegularFile, readRegularText } from './regular-file.js';
export type { InterpreterRuntimeGrant, ShellGrant, StagedRuntimeGrant } from './shell.js';
export type { TraceConfig } from './trace.js';
export { releaseWarning } from './version.js';

/**
 * What bounds the native processes of a session: rlimits, one cgroup, the size of its folders, and which of them was hit
 * (spec/resources.md 3 to 7). Not the limits of WASM guests (src/wasm) and not the setting of rlimits, which is part of a
 * launch program (src/containment).
 *
 * | File | Does |
 * |---|---|
 * | limits | which limits apply under a floor |
 * | rlimits, processes | the list for `prlimit64`, and what it depends on |
 * | cgroup/ | the session's scope: its base, its files, its removal |
 * | session | all of it for one session, with what is not enforced here |
 * | attribute | the limit that ended a command |
 * | size-guard, folder-size | the work folder's limit |
 *
 * Read next: session.ts, then cgroup/scope.ts.
 */
export { attribute } from './attribute.js';
export { findBase } from './cgroup/base.js';
export { type CgroupFiles, systemFiles } from './cgroup/files.js';
export { type CgroupHost, openCgroupScope, type ScopeRequest } from './cgroup/scope.js';
export { sessionResources } from './limits.js';
export { countProcesses, inheritedHardLimits } from './processes.js';
export { type RlimitContext, rlimitsOf } from './rlimits.js';
export { measureSessionLimits, openSessionLimits, type SessionLimits, type SessionLimitsRequest } from './session.js';
export { openSizeGuard, type SizeBreach, type SizeGuard, type SizeGuardRequest, sizeError } from './size-guard.js';
export type {
  CgroupCounters,
  CgroupScope,
  IoMaxOutcome,
  ResolvedResources,
  ResourceLimit,
  Rlimit,
  RlimitName,
} from './types.js';

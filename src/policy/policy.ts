import type { ExecutionLimits } from '../../workers/protocol.js';
import type {
  ContainmentClass,
  InterpreterRuntimeGrant,
  ResourcesDeclared,
  RuntimeManifest,
  StagedRuntimeGrant,
} from '../manifest/index.js';
import { type HostResourceLimits, hookDefaultDeadlineSeconds, resolveLimits, resolveResources } from './limits.js';

/** Runtime folders of an allowed interpreter, as the interpreter itself reported them. */
export interface DerivedInterpreterRuntime {
  readonly binary: string;
  readonly dirs: readonly string[];
}

/** One file or folder of the host's TLS trust store. */
export interface TrustStorePath {
  readonly path: string;
  readonly kind: 'file' | 'directory';
}

/** A host folder the operator lends to every contained capsule, checked on this host. */
export interface HostPath {
  readonly path: string;
  readonly access: 'read' | 'read-write';
  /** As written. */
  readonly declared: string;
  /** Known places of credentials it is, holds or lies in, as `~/<place>`. */
  readonly credentialLocations: readonly string[];
}

/** Everything a capsule may do, fully resolved (seed `CapabilityPolicy`, spec/manifest.md section 15). */
export interface CapabilityPolicy {
  readonly networkAllow: readonly string[];
  /** Peers a file may be fetched from. Never merged with `networkAllow`. */
  readonly peerFetchAllow: readonly string[];
  readonly unixSocketsAllowed: boolean;
  /** Reported; bounds no mount of a WASM guest. */
  readonly filesystemScope: string | undefined;
  readonly workdirExecAllowed: boolean;
  /** Work-folder paths the capsule may read and not write. Only ever subtracts. */
  readonly readOnlyPaths: readonly string[];
  readonly shellAllow: readonly string[];
  readonly spawnAllow: readonly string[];
  /** The subset of `spawnAllow` whose children start in a copy of the work folder. */
  readonly spawnWorkdirSnapshot: readonly string[];
  readonly shellStripEnv: readonly string[];
  readonly shellBaselineEnv: readonly string[];
  readonly shellInterpreterRuntime: readonly InterpreterRuntimeGrant[];
  readonly shellStagedRuntime: readonly StagedRuntimeGrant[];
  /** Never from the manifest: filled once by staging. */
  readonly shellDerivedInterpreterRuntime: readonly DerivedInterpreterRuntime[];
  /** Never from the manifest: filled once by staging. */
  readonly shellTrustStore: readonly TrustStorePath[];
  /** Never from the manifest: filled from the global config alone. */
  readonly hostPaths: readonly HostPath[];
  /** Host variables a WASM guest may see, before the credential patterns are applied. */
  readonly envAllow: readonly string[];
  readonly limits: ExecutionLimits;
  /** Bounds of native subprocesses. */
  readonly resources: HostResourceLimits;
  /** The same block as written: an unconfined session applies only this. */
  readonly declaredResources: ResourcesDeclared;
  /** The manifest's own vote until staging combines it with the others. */
  readonly containmentFloor: ContainmentClass;
  /** Recorded, not applied: state is granted per artifact. */
  readonly stateDeclared: boolean;
  /** Recorded, not applied: conversation access is granted per artifact. */
  readonly conversationDeclared: boolean;
  readonly planSubmit: boolean;
  readonly installSkill: readonly string[];
  readonly installTool: readonly string[];
  readonly installFromSources: boolean;
  /** As written; tells an explicit 600 from silence. */
  readonly declaredDeadlineSeconds: number | undefined;
}

/**
 * What the manifest allows, and nothing else: no environment, no configuration, no file is read. A block that is absent
 * denies (seed `capability_policy_from_runtime_manifest`).
 */
export function capabilityPolicyFromManifest(manifest: Pick<RuntimeManifest, 'capabilities'>): CapabilityPolicy {
  const declared = manifest.capabilities ?? {};
  const { network, filesystem, shell, spawn, install } = declared;
  return {
    networkAllow: network?.allow ?? [],
    peerFetchAllow: declared.peerFetch?.allow ?? [],
    unixSocketsAllowed: network?.unixSockets ?? false,
    filesystemScope: filesystem?.scope,
    workdirExecAllowed: filesystem?.workdirExec ?? false,
    readOnlyPaths: filesystem?.readOnly ?? [],
    shellAllow: shell?.allow ?? [],
    spawnAllow: spawn?.allow ?? [],
    spawnWorkdirSnapshot: spawn?.workdirSnapshot ?? [],
    shellStripEnv: shell?.stripEnv ?? [],
    shellBaselineEnv: shell?.baselineEnv ?? [],
    shellInterpreterRuntime: shell?.interpreterRuntime ?? [],
    shellStagedRuntime: shell?.stagedRuntime ?? [],
    shellDerivedInterpreterRuntime: [],
    shellTrustStore: [],
    hostPaths: [],
    envAllow: declared.env?.allow ?? [],
    limits: resolveLimits(declared.limits),
    resources: resolveResources(declared.resources),
    declaredResources: declared.resources ?? {},
    containmentFloor: declared.containment ?? 'advisory',
    stateDeclared: declared.state !== undefined,
    conversationDeclared: declared.conversation !== undefined,
    planSubmit: declared.plan?.submit ?? false,
    installSkill: install?.skill ?? [],
    installTool: install?.tool ?? [],
    installFromSources: install?.from.includes('sources') ?? false,
    declaredDeadlineSeconds: declared.limits?.deadlineSeconds,
  };
}

/** The policy of a manifest that declares nothing: everything grantable denied, every limit at its default. */
export function defaultCapabilityPolicy(): CapabilityPolicy {
  return capabilityPolicyFromManifest({});
}

/**
 * The limits of a hook call: the capsule's, with a lower deadline when the manifest declared none, because one stuck hook
 * would otherwise hold up every event of the session.
 */
export function hookLimits(policy: CapabilityPolicy): ExecutionLimits {
  return { ...policy.limits, deadlineMs: (policy.declaredDeadlineSeconds ?? hookDefaultDeadlineSeconds) * 1000 };
}

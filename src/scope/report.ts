import { join } from 'node:path';
import type { ArtifactEntry } from '../manifest/index.js';
import { filesystemBoundary } from './boundary.js';
import { isInterpreter } from './interpreters.js';
import { protectedFolder, recordStoreOf, runtimeWrites, temporaryFolder } from './own-folders.js';
import { resourceRows } from './resources.js';
import { starters } from './starters.js';
import type { PreopenRow, ScopeInput, ScopeReport } from './types.js';

/** How long a handle for a peer's file lives when the manifest does not say (spec/manifest.md section 12). */
const defaultHandleSeconds = 3600;

/**
 * The scope report. Every key is there whatever the capsule declares: lists are `[]` and objects `null` for what it does not
 * (spec/containment.md 18).
 */
export function scopeReport(input: ScopeInput): ScopeReport {
  const { policy, manifest, containment, folders, nativeTools = [] } = input;
  const { limits } = policy;
  const isNative = (name: string): boolean => nativeTools.some(({ artifact }) => artifact === name);
  return {
    ...decided(input),
    filesystem_scope: policy.filesystemScope ?? null,
    workdir_exec: policy.workdirExecAllowed,
    read_only_paths: policy.readOnlyPaths,
    read_only_advisory_for: policy.readOnlyPaths.length === 0 ? [] : policy.shellAllow.filter(isInterpreter),
    read_only_enforcement: readOnlyEnforcement(input),
    preopens: manifest.artifacts.filter(({ name }) => !isNative(name)).flatMap(preopenOf),
    network_allow: policy.networkAllow,
    unix_sockets: policy.unixSocketsAllowed,
    shell_allow: policy.shellAllow,
    spawn_allow: policy.spawnAllow,
    env_allow: policy.envAllow,
    spawn_workdir_snapshot: policy.spawnWorkdirSnapshot,
    parent_workdir: null,
    plan_submit: policy.planSubmit,
    install_skill: policy.installSkill,
    install_tool: policy.installTool,
    install_from: installOrigins(policy),
    ...hostReads(input),
    ...exported(input),
    state_stores: manifest.artifacts.flatMap(({ name, capabilities }) => {
      if (capabilities?.state === undefined) return [];
      const store = capabilities.state.store ?? manifest.name;
      return [{ artifact: name, store, host_path: join(folders.home, 'state', store) }];
    }),
    configured_artifacts: manifest.artifacts.filter(({ config }) => config !== undefined).map(({ name }) => name),
    runtime_writes: runtimeWrites(input),
    runtime_dir: protectedFolder(folders.runtime, folders.work, containment),
    records_dir: protectedFolder(folders.records, folders.work, containment),
    temp_dir: temporaryFolder(folders, containment, input.shown),
    io_max: ioMax(input),
    resources: resourceRows(input),
    filesystem_boundary: filesystemBoundary(containment),
    native_tools: nativeTools,
    work_folder: folders.work,
    record_store: recordStoreOf(manifest),
    shell_starters: starters(input),
    limits: {
      memory_bytes: limits.memoryBytes,
      table_elements: limits.tableElements,
      instances: limits.instances,
      deadline_seconds: limits.deadlineMs / 1000,
    },
  };
}

function readOnlyEnforcement({ policy, readOnly }: ScopeInput): ScopeReport['read_only_enforcement'] {
  if (policy.readOnlyPaths.length === 0) return null;
  const { commands, because, notHeld } = readOnly ?? { commands: null, because: 'it was not looked at', notHeld: [] };
  return { commands, commands_because: because, guests: 'walk', not_held: notHeld };
}

/** The mount of one artifact; a skill has none. */
export function preopenOf({ name, runtime, capabilities }: ArtifactEntry): PreopenRow[] {
  if (runtime === 'skill') return [];
  const scope = capabilities?.filesystem?.scope;
  const whole = runtime === 'hook' ? 'nothing' : 'whole-workdir';
  return [
    { artifact: name, role: runtime, scope: scope ?? null, surface: scope === undefined ? whole : 'scoped-subtree' },
  ];
}

type Decided =
  | 'declared_containment'
  | 'achieved_containment'
  | 'host_containment'
  | 'floor_met'
  | 'shortfall_reason'
  | 'enforcement_tier'
  | 'userns_grant'
  | 'landlock_abi'
  | 'noexec'
  | 'cgroup'
  | 'max_processes_enforced';

function decided(input: ScopeInput): Pick<ScopeReport, Decided> {
  const { containment, resources } = input;
  return {
    declared_containment: containment.floor,
    achieved_containment: containment.achieved,
    host_containment: containment.hostContainment,
    floor_met: containment.floorMet,
    ...(containment.floorMet ? {} : { shortfall_reason: containment.shortfallReason ?? 'no reason was recorded' }),
    enforcement_tier: containment.mechanism,
    userns_grant: containment.usernsGrant,
    landlock_abi: containment.landlockAbi,
    noexec: containment.noexec,
    cgroup: wantsCgroup(input) ? (resources?.cgroup ?? 'none') : 'not-wanted',
    max_processes_enforced: resources?.maxProcessesEnforced ?? false,
  };
}

/** A session on Linux that starts processes wants one; an unconfined one for the limits it declares (spec/resources.md 4.1, 5). */
function wantsCgroup({ policy, containment, platform, nativeTools = [] }: ScopeInput): boolean {
  const startsProcesses = policy.shellAllow.length + policy.spawnAllow.length + nativeTools.length > 0;
  const hasDeclared = Object.keys(policy.declaredResources).some((field) => field.startsWith('cgroup'));
  return platform === 'linux' && (containment.floor !== 'unconfined' || hasDeclared) && startsProcesses;
}

function ioMax(input: ScopeInput): ScopeReport['io_max'] {
  const declared = { declared_bytes_per_sec: input.policy.declaredResources.cgroupIoBytesPerSec ?? null };
  if (!wantsCgroup(input)) return { ...declared, status: 'not-required' };
  return { ...declared, ...(input.resources?.ioMax ?? { status: 'not-probed', reason: 'no cgroup scope was made' }) };
}

function installOrigins({ installFromSources }: ScopeInput['policy']): ScopeReport['install_from'] {
  return installFromSources ? ['stores', 'sources'] : ['stores'];
}

type HostReads =
  | 'interpreter_runtime_grants'
  | 'derived_interpreter_runtime'
  | 'trust_store'
  | 'name_resolution'
  | 'host_paths'
  | 'staged_runtime_grants';

function hostReads({ policy, resolution }: ScopeInput): Pick<ScopeReport, HostReads> {
  return {
    interpreter_runtime_grants: policy.shellInterpreterRuntime.flatMap(({ binary, dirs }) =>
      dirs.map(({ path, listDir }) => `${binary}: ${path}${listDir ? ' (list_dir)' : ''}`),
    ),
    derived_interpreter_runtime: policy.shellDerivedInterpreterRuntime.flatMap(({ binary, dirs }) =>
      dirs.map((path) => `${binary}: ${path}`),
    ),
    trust_store: policy.shellTrustStore.map(({ path }) => path),
    name_resolution: resolution ?? [],
    host_paths: policy.hostPaths.map(({ path, access, declared, credentialLocations }) => ({
      path,
      access,
      declared,
      credential_locations: credentialLocations,
    })),
    staged_runtime_grants: policy.shellStagedRuntime.map(
      ({ binary, sourcePath, pin }) => `${binary}: ${sourcePath} (pin: ${pin})`,
    ),
  };
}

type Exported = 'exports_files' | 'peer_files' | 'peer_tasks' | 'peer_fetch_allow';

function exported({ manifest, policy }: ScopeInput): Pick<ScopeReport, Exported> {
  const { files, peerFiles, peerTasks } = manifest.exports ?? {};
  return {
    exports_files: files === undefined ? null : { root: files.root, mode: 'read-only', max_bytes: files.maxBytes },
    peer_files:
      peerFiles === undefined
        ? null
        : {
            root: peerFiles.root,
            max_ttl_secs: peerFiles.maxTtlSeconds ?? defaultHandleSeconds,
            max_bytes: peerFiles.maxBytes,
          },
    peer_tasks: peerTasks ?? false,
    peer_fetch_allow: policy.peerFetchAllow,
  };
}

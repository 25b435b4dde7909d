import type { Chain } from '../containment/host.js';
import type { Tier, UsernsGrant } from '../containment/tier.js';
import type { ContainmentClass, RuntimeManifest } from '../manifest/index.js';
import type { CapabilityPolicy } from '../policy/index.js';

/**
 * What was decided about this host for this session: the only source of every field that depends on the host. A session's
 * containment decision has these fields and may have more.
 */
export interface ScopeContainment {
  /** Strongest class anybody declared. */
  readonly floor: ContainmentClass;
  /** What commands of the session run on. */
  readonly tier: Tier;
  readonly achieved: ContainmentClass;
  /** What the host could back for `sealed`; decides nothing. */
  readonly hostContainment: ContainmentClass;
  /** Wire name of `tier`: `landlock+seccomp`. */
  readonly mechanism: string;
  /** Whether work and temporary folders are mounted noexec; null when no tier applies. */
  readonly noexec: boolean | null;
  /** How its commands are started. */
  readonly chain: Chain;
  readonly floorMet: boolean;
  /** Present exactly when the floor is not met. */
  readonly shortfallReason?: string;
  readonly usernsGrant: UsernsGrant | null;
  readonly landlockAbi: number | null;
  /** Why the tier is `none` although a contained session was asked for. */
  readonly noTierBecause?: string;
}

/** Folders of the session, absolute, with `<session-id>` where its id will stand. */
export interface ScopeFolders {
  readonly work: string;
  /** Whether the runtime makes the work folder. */
  readonly isWorkMade: boolean;
  readonly runtime: string;
  readonly records: string;
  /** `~/.murmur` */
  readonly home: string;
}

export interface ScopeInput {
  readonly policy: CapabilityPolicy;
  readonly manifest: RuntimeManifest;
  readonly containment: ScopeContainment;
  readonly folders: ScopeFolders;
  readonly platform: NodeJS.Platform;
  /** What was measured for processes of the session. Absent: nothing was, and nothing is claimed. */
  readonly resources?: {
    readonly cgroup: 'scope' | 'none';
    readonly maxProcessesEnforced: boolean;
    /** Why something does not hold here. */
    readonly because: { readonly scope?: string; readonly rlimits?: string; readonly maxProcesses?: string };
    readonly ioMax: {
      readonly status: 'enforced' | 'unavailable' | 'not-required' | 'not-probed';
      readonly reason?: string;
    };
  };
  /** Files that commands look names up with. */
  readonly resolution?: readonly string[];
  /** Everything commands are to find besides the session's folders. */
  readonly shown?: readonly string[];
  /** What holds read-only paths besides the check of calls. Absent: nothing was looked at, and nothing is claimed. */
  readonly readOnly?: ReadOnlyHold;
  /** Absent: there are none, or nobody has looked. */
  readonly nativeTools?: readonly NativeToolRow[];
}

/** How far a program that runs is kept from read-only paths. WASM guests are by the walk of their files, always. */
export interface ReadOnlyHold {
  readonly commands: 'mounts' | null;
  /** Why nothing but the check of calls holds commands; null when mounts do. */
  readonly because: string | null;
  /** Paths that mounts do not hold, or not all of, as they lead now. */
  readonly notHeld: readonly { readonly path: string; readonly because: string }[];
}

/** One limit of native processes, and what holds it on this host. */
export interface ResourceRow {
  /** Its key in `capabilities.resources`. */
  readonly limit: string;
  /** null: an unconfined session applies only what its manifest declares. */
  readonly value: number | null;
  /** `watch`: looked at from time to time, so what is written between two looks is not held back. */
  readonly enforced_by: 'rlimit' | 'cgroup' | 'watch' | null;
  /** Present exactly when nothing enforces it. */
  readonly not_enforced_because?: string;
}

/** A native tool, and what it may execute besides what commands may. */
export interface NativeToolRow {
  readonly artifact: string;
  readonly image: 'elf' | 'script' | 'other';
  /** Its loader, or its interpreters and theirs. */
  readonly runs: readonly string[];
}

/** One mount of a WASM guest. */
export interface PreopenRow {
  readonly artifact: string;
  readonly role: 'tool' | 'driver' | 'hook';
  readonly scope: string | null;
  readonly surface: 'whole-workdir' | 'scoped-subtree' | 'nothing';
}

/** Somebody who may start programs of the host, or the reason why not. */
export interface StarterRow {
  /** Name of the artifact; `model` or `capsule` for what is none. */
  readonly who: string;
  readonly role: 'model' | 'capsule' | 'tool';
  readonly refused_because: string | null;
}

export interface ProtectedFolder {
  readonly path: string;
  readonly read_only_to_commands: boolean;
  readonly enforced_by: 'mountns+landlock' | 'landlock' | null;
  readonly not_protected_because: string | null;
}

/**
 * The scope report (spec/containment.md 18): everything a session may do and how much of it is enforced. `mur run --explain-scope
 * --json` prints it and the trace has it as `session_start.effective_grants`; both are the same object.
 */
export interface ScopeReport {
  readonly declared_containment: ContainmentClass;
  readonly achieved_containment: ContainmentClass;
  readonly host_containment: ContainmentClass;
  readonly floor_met: boolean;
  /** Left out when the floor is met. */
  readonly shortfall_reason?: string;
  readonly enforcement_tier: string;
  readonly userns_grant: UsernsGrant | null;
  readonly landlock_abi: number | null;
  readonly noexec: boolean | null;
  readonly cgroup: 'scope' | 'none' | 'not-wanted';
  readonly max_processes_enforced: boolean;
  /** Of the whole capsule, as written; bounds no mount. */
  readonly filesystem_scope: string | null;
  readonly workdir_exec: boolean;
  readonly read_only_paths: readonly string[];
  /** Allowed interpreters, whose writes the dispatch check cannot see. */
  readonly read_only_advisory_for: readonly string[];
  /** Ours: what else keeps read-only paths as they are; null for a capsule without them. */
  readonly read_only_enforcement: {
    /** `mounts`: no command writes them, interpreters included, but for `not_held`. */
    readonly commands: 'mounts' | null;
    readonly commands_because: string | null;
    /** `walk`: no WASM guest writes them. */
    readonly guests: 'walk';
    readonly not_held: readonly { readonly path: string; readonly because: string }[];
  } | null;
  /** In manifest order. */
  readonly preopens: readonly PreopenRow[];
  readonly network_allow: readonly string[];
  readonly unix_sockets: boolean;
  readonly shell_allow: readonly string[];
  readonly spawn_allow: readonly string[];
  readonly env_allow: readonly string[];
  readonly spawn_workdir_snapshot: readonly string[];
  readonly parent_workdir: Readonly<Record<string, unknown>> | null;
  readonly plan_submit: boolean;
  readonly install_skill: readonly string[];
  readonly install_tool: readonly string[];
  readonly install_from: readonly ('stores' | 'sources')[];
  readonly interpreter_runtime_grants: readonly string[];
  readonly derived_interpreter_runtime: readonly string[];
  readonly trust_store: readonly string[];
  readonly name_resolution: readonly string[];
  readonly host_paths: readonly {
    /** Links followed. */
    readonly path: string;
    readonly access: 'read' | 'read-write';
    readonly declared: string;
    /** Known places of credentials it is, holds or lies in, as `~/<place>`. */
    readonly credential_locations: readonly string[];
  }[];
  readonly exports_files: {
    readonly root: string;
    readonly mode: 'read-only';
    readonly max_bytes: number;
  } | null;
  readonly peer_files: {
    readonly root: string;
    readonly max_ttl_secs: number;
    readonly max_bytes: number;
  } | null;
  readonly peer_tasks: boolean;
  readonly peer_fetch_allow: readonly string[];
  readonly state_stores: readonly { readonly artifact: string; readonly store: string; readonly host_path: string }[];
  /** Names only, never values. */
  readonly configured_artifacts: readonly string[];
  readonly staged_runtime_grants: readonly string[];
  /** What the runtime itself writes, whatever the capsule may do. */
  readonly runtime_writes: readonly { readonly path: string; readonly holds: string }[];
  readonly runtime_dir: ProtectedFolder;
  readonly records_dir: ProtectedFolder;
  readonly temp_dir: {
    readonly path: string;
    readonly maps_tmp: boolean;
    readonly not_mapped_because: string | null;
  };
  readonly io_max: {
    readonly declared_bytes_per_sec: number | null;
    readonly status: 'enforced' | 'unavailable' | 'not-required' | 'not-probed';
    readonly reason?: string;
  };
  /** Ours: the limits of commands, in the order of spec/resources.md 3; none for a capsule without. */
  readonly resources: readonly ResourceRow[];
  readonly filesystem_boundary: {
    readonly restriction: 'advisory' | 'enforced' | 'absent';
    readonly not_protected: readonly string[];
  };
  /** Ours, in manifest order. */
  readonly native_tools: readonly NativeToolRow[];
  /** Ours: `.` of every guest without a scope of its own. */
  readonly work_folder: string;
  /** Ours: the conversation store its turns go to; null for a session that records none. */
  readonly record_store: string | null;
  /** Ours: who may start the programs of `shell_allow`; a component only when it asks for it. */
  readonly shell_starters: readonly StarterRow[];
  /** Ours: what bounds one call of a WASM guest. */
  readonly limits: {
    readonly memory_bytes: number;
    readonly table_elements: number;
    readonly instances: number;
    readonly deadline_seconds: number;
  };
}

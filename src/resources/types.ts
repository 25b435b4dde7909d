import type { ResourcesDeclared } from '../manifest/index.js';

/**
 * The limits that apply to native processes of one session. A field that is absent is not applied; in every session but an
 * unconfined one all are there (spec/resources.md 5).
 */
export interface ResolvedResources extends ResourcesDeclared {
  /** Whether RLIMIT_CORE is set to 0. */
  readonly noCore: boolean;
}

export type RlimitName = 'CORE' | 'NPROC' | 'NOFILE' | 'FSIZE' | 'CPU' | 'AS';

/** One limit for `prlimit64`, in the order of the list. */
export interface Rlimit {
  readonly name: RlimitName;
  readonly soft: number;
  readonly hard: number;
}

/** Session-wide event counters of a cgroup. Overlapping commands see each other's. */
export interface CgroupCounters {
  readonly oomKill: number;
  readonly pidsMax: number;
}

/** `io_max` of the scope report, measured (spec/resources.md 4.4). */
export interface IoMaxOutcome {
  readonly status: 'enforced' | 'unavailable' | 'not-required' | 'not-probed';
  readonly reason?: string;
}

/** The cgroup all native processes of one session share. */
export interface CgroupScope {
  readonly path: string;
  /** `cgroup.procs`, write-only: a child joins by writing "0" to it before it can fork. */
  readonly procsFd: number;
  readonly ioMax: IoMaxOutcome;
  counters(): Promise<CgroupCounters>;
  /** Kills what is left and removes the group; says what would not go. */
  close(): Promise<{ readonly left?: string }>;
}

/** The limit that ended a command or stopped it from starting another process (spec/shell.md 9). */
export type ResourceLimit = 'cpu_seconds' | 'max_file_size_bytes' | 'cgroup_memory_bytes' | 'cgroup_pids_max';

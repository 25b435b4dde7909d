import type { ScopeReport } from './types.js';

/** Facts about the host and the runtime's own folders, which no manifest grants. */
const notGranted: ReadonlySet<string> = new Set<keyof ScopeReport>([
  'declared_containment',
  'achieved_containment',
  'host_containment',
  'floor_met',
  'shortfall_reason',
  'enforcement_tier',
  'userns_grant',
  'landlock_abi',
  'noexec',
  'cgroup',
  'max_processes_enforced',
  'runtime_writes',
  'runtime_dir',
  'records_dir',
  'temp_dir',
  'io_max',
  'resources',
  'filesystem_boundary',
  'read_only_enforcement',
]);

/**
 * What a report, or one that was read from a trace, grants at all. A capsule is denied most things, and a list of denials hides what it
 * has. A report of an older session, whose keys are others, keeps what it says.
 */
export function grantedOf(report: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isNothing = (value: unknown): boolean =>
    value === null || value === false || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(report).filter(([key, value]) => !notGranted.has(key) && !isNothing(value)));
}

import type { CapabilityPolicy } from '../policy/index.js';
import type { ResourceRow, ScopeInput } from './types.js';

type Field = keyof CapabilityPolicy['resources'];

const rows: readonly (readonly [field: Field, limit: string, by: 'rlimit' | 'cgroup' | 'watch'])[] = [
  ['maxProcesses', 'max_processes', 'rlimit'],
  ['maxOpenFiles', 'max_open_files', 'rlimit'],
  ['maxFileSizeBytes', 'max_file_size_bytes', 'rlimit'],
  ['cpuSeconds', 'cpu_seconds', 'rlimit'],
  ['memoryBytes', 'memory_bytes', 'rlimit'],
  ['cgroupMemoryBytes', 'cgroup_memory_bytes', 'cgroup'],
  ['cgroupPidsMax', 'cgroup_pids_max', 'cgroup'],
  ['cgroupCpuPercent', 'cgroup_cpu_percent', 'cgroup'],
  ['cgroupIoBytesPerSec', 'cgroup_io_bytes_per_sec', 'cgroup'],
  ['workdirMaxBytes', 'workdir_max_bytes', 'watch'],
];

/**
 * Each limit of `capabilities.resources` that applies to something of the session, with what holds it here or why nothing does. What was
 * not measured is not claimed.
 */
export function resourceRows(input: ScopeInput): readonly ResourceRow[] {
  const { policy, containment } = input;
  const declared = policy.declaredResources;
  const applied = containment.floor === 'unconfined' ? declared : policy.resources;
  // Without commands there is nothing to hold, and the folder is watched only when the manifest asks for it.
  const isOwn = startsCommands(input) ? () => true : (field: Field) => field === 'workdirMaxBytes' && field in declared;
  return rows
    .filter(([field]) => isOwn(field))
    .map(([field, limit, by]) => {
      const value = applied[field];
      if (value === undefined) {
        return absent(limit, null, 'an unconfined session applies only what its manifest declares');
      }
      if (by === 'watch') return { limit, value, enforced_by: by };
      const because = problemOf(field, by, input);
      if (because !== undefined) return absent(limit, value, because);
      // The pids of a cgroup replace RLIMIT_NPROC (spec/resources.md 3.2).
      const isCounted =
        field === 'maxProcesses' && input.resources?.cgroup === 'scope' && applied.cgroupPidsMax !== undefined;
      return { limit, value, enforced_by: isCounted ? 'cgroup' : by };
    });
}

function absent(limit: string, value: number | null, because: string): ResourceRow {
  return { limit, value, enforced_by: null, not_enforced_because: because };
}

function startsCommands({ policy, nativeTools = [] }: ScopeInput): boolean {
  return policy.shellAllow.length + nativeTools.length > 0;
}

function problemOf(field: Field, by: 'rlimit' | 'cgroup', { resources }: ScopeInput): string | undefined {
  if (resources === undefined) return 'it was not looked at';
  const { cgroup, because, ioMax, maxProcessesEnforced } = resources;
  if (field === 'maxProcesses') return maxProcessesEnforced ? undefined : (because.maxProcesses ?? because.rlimits);
  if (by === 'rlimit') return because.rlimits;
  if (cgroup !== 'scope') return because.scope ?? 'no cgroup scope was made';
  if (field !== 'cgroupIoBytesPerSec' || ioMax.status === 'enforced') return undefined;
  return ioMax.reason ?? ioMax.status;
}

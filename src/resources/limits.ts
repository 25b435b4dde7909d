import type { ContainmentClass } from '../manifest/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import type { ResolvedResources } from './types.js';

/**
 * The limits that apply to native processes under this floor: all of them, or for an unconfined session those the manifest wrote
 * and nothing else (spec/resources.md 5). RLIMIT_CORE 0 is written by nobody, so an unconfined session keeps its own.
 */
export function sessionResources(
  policy: Pick<CapabilityPolicy, 'resources' | 'declaredResources'>,
  floor: ContainmentClass,
): ResolvedResources {
  return floor === 'unconfined'
    ? { ...policy.declaredResources, noCore: false }
    : { ...policy.resources, noCore: true };
}

const cgroupFields = {
  cgroupMemoryBytes: 'cgroup_memory_bytes',
  cgroupPidsMax: 'cgroup_pids_max',
  cgroupCpuPercent: 'cgroup_cpu_percent',
  cgroupIoBytesPerSec: 'cgroup_io_bytes_per_sec',
} as const;

/** The `cgroup_*` keys that have a value, by their manifest names. */
export function cgroupKeys(resources: Partial<Record<keyof typeof cgroupFields, number>>): readonly string[] {
  return (Object.keys(cgroupFields) as (keyof typeof cgroupFields)[])
    .filter((field) => resources[field] !== undefined)
    .map((field) => cgroupFields[field]);
}

import type { ExecutionLimits } from '../../workers/protocol.js';
import type { LimitsDeclared, ResourcesDeclared } from '../manifest/index.js';

/** `capabilities.resources` with every omitted field at its default. */
export type HostResourceLimits = Required<ResourcesDeclared>;

const defaultDeadlineSeconds = 600;
export const hookDefaultDeadlineSeconds = 30;

const resourceDefaults: HostResourceLimits = {
  maxProcesses: 128,
  maxOpenFiles: 1024,
  maxFileSizeBytes: 4 * 1024 ** 3,
  cpuSeconds: 3600,
  memoryBytes: 2 * 1024 ** 3,
  cgroupMemoryBytes: 4 * 1024 ** 3,
  cgroupPidsMax: 256,
  cgroupCpuPercent: 200,
  cgroupIoBytesPerSec: 100 * 1024 ** 2,
  workdirMaxBytes: 10 * 1024 ** 3,
};

/** The limits of one WASM guest: every omitted field at its default, so there is no "unset" (spec/manifest.md section 6.1). */
export function resolveLimits(declared: LimitsDeclared = {}): ExecutionLimits {
  return {
    memoryBytes: declared.memoryBytes ?? 512 * 1024 ** 2,
    tableElements: declared.tableElements ?? 100_000,
    instances: declared.instances ?? 1000,
    deadlineMs: (declared.deadlineSeconds ?? defaultDeadlineSeconds) * 1000,
  };
}

/** The limits of native subprocesses (spec/manifest.md section 6.3). */
export function resolveResources(declared: ResourcesDeclared = {}): HostResourceLimits {
  return { ...resourceDefaults, ...declared };
}

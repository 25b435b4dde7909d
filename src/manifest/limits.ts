import { present } from './present.js';
import type { Fault } from './report.js';
import { block, integer, type z } from './shape.js';
import type { Path } from './tree.js';

/** `capabilities.limits`: bounds of one WASM guest. Defaults: src/policy/limits.ts. */
export const limitsShape = block({
  memory_bytes: integer(),
  table_elements: integer(),
  instances: integer(),
  deadline_seconds: integer(),
});

/** `capabilities.resources`: bounds of native subprocesses. */
export const resourcesShape = block({
  max_processes: integer(),
  max_open_files: integer(),
  max_file_size_bytes: integer(),
  cpu_seconds: integer(),
  memory_bytes: integer(),
  cgroup_memory_bytes: integer(),
  cgroup_pids_max: integer(),
  cgroup_cpu_percent: integer(),
  cgroup_io_bytes_per_sec: integer(),
  workdir_max_bytes: integer(),
});

/** `capabilities.limits` exactly as declared (spec/manifest.md section 6.1). */
export interface LimitsDeclared {
  readonly memoryBytes?: number;
  readonly tableElements?: number;
  readonly instances?: number;
  readonly deadlineSeconds?: number;
}

/** `capabilities.resources` exactly as declared (spec/manifest.md section 6.3). */
export interface ResourcesDeclared {
  readonly maxProcesses?: number;
  readonly maxOpenFiles?: number;
  readonly maxFileSizeBytes?: number;
  readonly cpuSeconds?: number;
  readonly memoryBytes?: number;
  readonly cgroupMemoryBytes?: number;
  readonly cgroupPidsMax?: number;
  readonly cgroupCpuPercent?: number;
  readonly cgroupIoBytesPerSec?: number;
  readonly workdirMaxBytes?: number;
}

export function readLimits(raw: NonNullable<z.infer<typeof limitsShape>>, path: Path, fault: Fault): LimitsDeclared {
  const take = (key: keyof typeof raw) => positive(raw[key], [...path, key], fault);
  return present({
    memoryBytes: take('memory_bytes'),
    tableElements: take('table_elements'),
    instances: take('instances'),
    deadlineSeconds: take('deadline_seconds'),
  });
}

export function readResources(
  raw: NonNullable<z.infer<typeof resourcesShape>>,
  path: Path,
  fault: Fault,
): ResourcesDeclared {
  const take = (key: keyof typeof raw) => positive(raw[key], [...path, key], fault);
  return present({
    maxProcesses: take('max_processes'),
    maxOpenFiles: take('max_open_files'),
    maxFileSizeBytes: take('max_file_size_bytes'),
    cpuSeconds: take('cpu_seconds'),
    memoryBytes: take('memory_bytes'),
    cgroupMemoryBytes: take('cgroup_memory_bytes'),
    cgroupPidsMax: take('cgroup_pids_max'),
    cgroupCpuPercent: take('cgroup_cpu_percent'),
    cgroupIoBytesPerSec: take('cgroup_io_bytes_per_sec'),
    workdirMaxBytes: take('workdir_max_bytes'),
  });
}

/** `value` when it is above zero; absent stays absent. */
export function positive(value: number | null | undefined, path: Path, fault: Fault): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (value < 1) throw fault(path, `must be greater than zero, got ${value}`);
  return value;
}

/** `value` when it is not negative; absent stays absent. */
export function notNegative(value: number | null | undefined, path: Path, fault: Fault): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (value < 0) throw fault(path, `must not be negative, got ${value}`);
  return value;
}

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

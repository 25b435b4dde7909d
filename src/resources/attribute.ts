import type { CgroupCounters, ResourceLimit } from './types.js';

/**
 * The limit that ended a command, or kept it from starting a process; `undefined` when nothing proves one (spec/shell.md 9). A
 * signal that only the limit sends comes first, then the events of the session's cgroup during the command. ENOMEM, EAGAIN,
 * EMFILE and a bare SIGKILL prove nothing. Commands that overlap share the counters, so each of them may be blamed.
 */
export function attribute(
  ended: { readonly signal?: NodeJS.Signals },
  before?: CgroupCounters,
  after?: CgroupCounters,
): ResourceLimit | undefined {
  if (ended.signal === 'SIGXCPU') return 'cpu_seconds';
  if (ended.signal === 'SIGXFSZ') return 'max_file_size_bytes';
  if (before === undefined || after === undefined) return undefined;
  if (after.oomKill > before.oomKill) return 'cgroup_memory_bytes';
  return after.pidsMax > before.pidsMax ? 'cgroup_pids_max' : undefined;
}

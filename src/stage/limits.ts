import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { measureSessionLimits, type SessionLimits } from '../resources/index.js';
import type { ScopeInput } from '../scope/index.js';
import type { Reach, ReachAsked } from './containment.js';

/** The measured part of a scope report. */
export function measured({ cgroup, maxProcessesEnforced, ioMax, because }: Omit<SessionLimits, 'scope'>) {
  return { cgroup: cgroup === 'scope' ? cgroup : ('none' as const), maxProcessesEnforced, ioMax, because };
}

/** The input of a scope report with what the limits of such a session come to on this host. Leaves no cgroup behind. */
export async function withMeasuredLimits(
  { policy, floor, folders }: Pick<ReachAsked, 'policy' | 'floor' | 'folders'>,
  { scope, host, programs }: Reach,
): Promise<ScopeInput> {
  if (host === undefined || programs === undefined) return scope;
  const limits = await measureSessionLimits({
    sessionId: 'explain-scope',
    platform: host.platform,
    uid: host.uid,
    floor,
    startsProcesses: true,
    hasLauncher: host.launcher !== null,
    policy,
    workFolder: nearest(folders.work),
  });
  return { ...scope, resources: measured(limits) };
}

/** The folder itself, or what is there of the way to it: it is on the same disk, unless somebody mounts one between. */
function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(dirname(folder));
}

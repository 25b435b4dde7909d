import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { HostReport } from '../containment/host.js';
import { measureSessionLimits, type SessionLimits, type SessionLimitsRequest } from '../resources/index.js';
import type { ScopeInput } from '../scope/index.js';
import type { Reach, ReachAsked } from './containment.js';

/** The measured part of a scope report. */
export function measured({ cgroup, maxProcessesEnforced, ioMax, because }: Omit<SessionLimits, 'scope'>) {
  return { cgroup: cgroup === 'scope' ? cgroup : ('none' as const), maxProcessesEnforced, ioMax, because };
}

/** What the limits of a session with commands depend on. */
export function limitsRequest(
  { platform, uid, launcher }: HostReport,
  session: Pick<SessionLimitsRequest, 'sessionId' | 'floor' | 'policy' | 'workFolder'>,
): SessionLimitsRequest {
  return { ...session, platform, uid, startsProcesses: true, hasLauncher: launcher !== null };
}

/** The input of a scope report with what the limits of such a session come to on this host. Leaves no cgroup behind. */
export async function withMeasuredLimits(
  { policy, floor, folders }: Pick<ReachAsked, 'policy' | 'floor' | 'folders'>,
  { scope, host, programs }: Reach,
): Promise<ScopeInput> {
  if (host === undefined || programs === undefined) return scope;
  const limits = await measureSessionLimits(
    limitsRequest(host, { sessionId: 'explain-scope', floor, policy, workFolder: nearest(folders.work) }),
  );
  return { ...scope, resources: measured(limits) };
}

/** The folder itself, or what is there of the way to it: it is on the same disk, unless somebody mounts one between. */
function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(dirname(folder));
}

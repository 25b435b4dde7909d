/**
 * What a session gets of this host, for a launch and for `mur run --explain-scope` alike: both read the same decision, so that what
 * is reported is what is applied. Writes nothing of a session and refuses no floor: contain.ts does.
 * Read next: ../containment/decide.ts, programs.ts.
 */
import { type ContainmentDecision, decide } from '../containment/decide.js';
import type { HostReport } from '../containment/host.js';
import { isWithin } from '../containment/within.js';
import { decideWithoutHost, needsHost } from '../containment/without-host.js';
import type { HostPath } from '../home/config-host-paths.js';
import type { ContainmentClass, RuntimeManifest } from '../manifest/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import type { ScopeFolders, ScopeInput } from '../scope/index.js';
import type { Programs } from './programs.js';

/** What the answer depends on. */
export interface ReachAsked {
  readonly policy: CapabilityPolicy;
  readonly manifest: RuntimeManifest;
  readonly floor: ContainmentClass;
  readonly folders: ScopeFolders;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Folders of this machine that the operator lends. */
  readonly hostPaths: readonly HostPath[];
}

export interface Reach {
  readonly decision: ContainmentDecision;
  /** Absent when nothing of the session depends on it. */
  readonly host?: HostReport;
  /** What commands are and may read. Absent when there are none. */
  readonly programs?: Programs;
  /** For the scope report. */
  readonly scope: ScopeInput;
}

/** The host, asked once per process, and only where the answer can matter. */
export async function hostFor({
  policy,
  floor,
}: Pick<ReachAsked, 'policy' | 'floor'>): Promise<HostReport | undefined> {
  if (!needsHost({ floor, startsProcesses: startsProcesses(policy) })) return undefined;
  const { probeHost } = await import('../containment/probe/index.js');
  return probeHost();
}

/** The decision, and what its commands stand for on this host. */
export async function reachOf(asked: ReachAsked, host: HostReport | undefined): Promise<Reach> {
  const { policy, manifest, floor, folders } = asked;
  const decision =
    host === undefined
      ? decideWithoutHost(floor)
      : decide(host, {
          floor,
          workdirExec: policy.workdirExecAllowed,
          runtimeInsideWorkdir: isWithin(folders.runtime, folders.work),
          networkAllowEmpty: policy.networkAllow.length === 0,
          startsProcesses: startsProcesses(policy),
          folders: { work: folders.work, runtime: folders.runtime },
        });
  const base = { decision, ...(host === undefined ? {} : { host }) };
  const scope = { policy, manifest, containment: decision, folders, platform: process.platform };
  if (policy.shellAllow.length === 0) return { ...base, scope };
  const { findPrograms, policyWith } = await import('./programs.js');
  const programs = await findPrograms(asked);
  return {
    ...base,
    programs,
    scope: {
      ...scope,
      policy: policyWith(policy, programs),
      resolution: programs.networkFiles.nameResolution.map(({ path }) => path),
    },
  };
}

/** Commands and children; native tools are known only when artifacts are resolved. */
export function startsProcesses(policy: Pick<CapabilityPolicy, 'shellAllow' | 'spawnAllow'>): boolean {
  return policy.shellAllow.length + policy.spawnAllow.length > 0;
}

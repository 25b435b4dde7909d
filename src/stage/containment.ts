/**
 * What a session gets of this host, for a launch and for `mur run --explain-scope` alike: both read the same decision, so that what
 * is reported is what is applied. Writes nothing of a session and refuses no floor: contain.ts does.
 * Read next: ../containment/decide.ts, programs.ts.
 */
import { type ContainmentDecision, decide } from '../containment/decide.js';
import type { NativeEntrypoint } from '../containment/entrypoint.js';
import type { HostReport } from '../containment/host.js';
import { shownPaths } from '../containment/mounts.js';
import { isWithin } from '../containment/within.js';
import { decideWithoutHost, needsHost } from '../containment/without-host.js';
import type { HostPath } from '../home/config-host-paths.js';
import type { ContainmentClass, RuntimeManifest } from '../manifest/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import type { NativeToolRow, ScopeFolders, ScopeInput } from '../scope/index.js';
import type { Programs } from './programs.js';
import { readOnlyHold } from './read-only.js';

/** What the answer depends on. */
export interface ReachAsked {
  readonly policy: CapabilityPolicy;
  readonly manifest: RuntimeManifest;
  readonly floor: ContainmentClass;
  readonly folders: ScopeFolders;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Folders of this machine that the operator lends. */
  readonly hostPaths: readonly HostPath[];
  /** Known when artifacts are resolved. Absent: none. */
  readonly nativeTools?: readonly NativeReach[];
}

/** A native tool, as far as the answer depends on it. */
export interface NativeReach {
  readonly artifact: string;
  readonly entrypoint: NativeEntrypoint;
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
export async function hostFor(
  asked: Pick<ReachAsked, 'policy' | 'floor' | 'nativeTools'>,
): Promise<HostReport | undefined> {
  if (!needsHost({ floor: asked.floor, startsProcesses: startsProcesses(asked) })) return undefined;
  const { probeHost } = await import('../containment/probe/index.js');
  return probeHost();
}

/** The decision, and what its commands stand for on this host. */
export async function reachOf(asked: ReachAsked, host: HostReport | undefined): Promise<Reach> {
  const { policy, manifest, floor, folders, nativeTools = [] } = asked;
  const decision =
    host === undefined
      ? decideWithoutHost(floor)
      : decide(host, {
          floor,
          workdirExec: policy.workdirExecAllowed,
          runtimeInsideWorkdir: isWithin(folders.runtime, folders.work),
          networkAllowEmpty: policy.networkAllow.length === 0,
          startsProcesses: startsProcesses(asked),
          folders: { work: folders.work, runtime: folders.runtime },
        });
  const base = { decision, ...(host === undefined ? {} : { host }) };
  const startsCommands = policy.shellAllow.length + nativeTools.length > 0;
  const readOnly = readOnlyHold(policy, decision, { host, work: folders.work, startsCommands });
  const scope = {
    policy,
    manifest,
    containment: decision,
    folders,
    platform: process.platform,
    nativeTools: nativeTools.map(rowOf),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
  if (!startsCommands) return { ...base, scope };
  const { findPrograms, policyWith } = await import('./programs.js');
  const programs = await findPrograms(asked);
  const { executables } = programs;
  return {
    ...base,
    programs,
    scope: {
      ...scope,
      policy: policyWith(policy, programs),
      shown: shownPaths({
        grants: [...programs.readPaths, ...executables.readable],
        executable: executables.executable,
        player: [],
      }),
      resolution: programs.networkFiles.nameResolution.map(({ path }) => path),
    },
  };
}

export function rowOf({ artifact, entrypoint: { image, runs } }: NativeReach): NativeToolRow {
  return { artifact, image, runs };
}

/** Commands, children and native tools. */
export function startsProcesses({ policy, nativeTools = [] }: Pick<ReachAsked, 'policy' | 'nativeTools'>): boolean {
  return policy.shellAllow.length + policy.spawnAllow.length + nativeTools.length > 0;
}

import { checkContainment } from '../containment/check.js';
import type { HostReport } from '../containment/host.js';
import { containmentWarnings } from '../containment/warnings.js';
import type { WarningCode } from '../errors/index.js';
import type { LifecycleConfig } from '../manifest/index.js';
import { hasDescriptorWalk, scopeFolders, scopeReport } from '../scope/index.js';
import { hostFor, type Reach, type ReachAsked, reachOf } from './containment.js';
import { needed, type StageDraft } from './draft.js';

/** Reads the host once; every later decision uses this reading. */
export async function probe(draft: StageDraft): Promise<void> {
  const { policy, declaredContainmentFloor: floor } = draft.request;
  const host = await hostFor({ policy, floor });
  draft.hostFacts = {
    platform: process.platform,
    descriptorWalk: hasDescriptorWalk() ? 'full' : 'none',
    ...(host === undefined ? {} : { host }),
  };
}

/** Decides the containment class, refuses what this host does not reach, and reports what the session may do. */
export async function contain(draft: StageDraft): Promise<void> {
  const { request, home } = draft;
  const { descriptorWalk, host } = needed(draft.hostFacts, 'probe');
  const { manifest, policy, manifestDir, workdir, hostEnv, hostPaths = [] } = request;
  const folders = scopeFolders({ home, manifestDir, ...(workdir === undefined ? {} : { workdir }) });
  const floor = request.declaredContainmentFloor;
  const asked = { policy, manifest, floor, folders, hostEnv, hostPaths };
  const warn = draft.warn.bind(draft);
  const reach = await checkedReach(asked, host, draft.lifecycle, warn);
  if (descriptorWalk === 'none') {
    warn(
      'W-SEC-905',
      'this host has no /proc/self/fd: paths of WASM tools are checked by name and not by descriptor, so a process that swaps folders for links could lead a tool out of the work folder',
    );
  }
  draft.reach = reach;
  draft.scopeReport = scopeReport(reach.scope);
}

/**
 * What commands get of this host, after the refusals of spec/containment.md 4 and its warnings. Refusal, report and launch follow from
 * the same decision; `mur sandbox` decides here, too.
 */
export async function checkedReach(
  asked: ReachAsked,
  host: HostReport | undefined,
  lifecycle: Pick<LifecycleConfig, 'taskAcceptance' | 'afterTask'>,
  warn: (code: WarningCode, message: string) => void,
): Promise<Reach> {
  const { policy } = asked;
  const reach = await reachOf(asked, host);
  const { decision, programs } = reach;
  checkContainment({
    host: host ?? { network: { usable: true } },
    decision,
    policy,
    ...(programs === undefined ? {} : { unreachableScripts: programs.executables.unreachableScripts }),
  });
  for (const { code, message } of containmentWarnings(decision, policy)) warn(code, message);
  if (programs !== undefined) {
    const { programWarnings } = await import('./programs.js');
    for (const { code, message } of programWarnings(asked, lifecycle, programs)) warn(code, message);
  }
  return reach;
}

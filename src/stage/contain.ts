import { checkContainment } from '../containment/check.js';
import { containmentWarnings } from '../containment/warnings.js';
import { hasDescriptorWalk, scopeFolders, scopeReport } from '../scope/index.js';
import { hostFor, reachOf } from './containment.js';
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

/**
 * Decides the containment class, refuses what this host does not reach (spec/containment.md 4), and reports what the session may do.
 * Refusal, report and launch follow from the same decision.
 */
export async function contain(draft: StageDraft): Promise<void> {
  const { request, home } = draft;
  const { descriptorWalk, host } = needed(draft.hostFacts, 'probe');
  const { manifest, policy, manifestDir, workdir, hostEnv, hostPaths = [] } = request;
  const folders = scopeFolders({ home, manifestDir, ...(workdir === undefined ? {} : { workdir }) });
  const floor = request.declaredContainmentFloor;
  const reach = await reachOf({ policy, manifest, floor, folders, hostEnv, hostPaths }, host);
  const { decision, programs } = reach;
  checkContainment({
    host: host ?? { network: { usable: true } },
    decision,
    policy,
    ...(programs === undefined ? {} : { unreachableScripts: programs.executables.unreachableScripts }),
  });
  for (const { code, message } of containmentWarnings(decision, policy)) draft.warn(code, message);
  if (programs !== undefined) {
    const { programWarnings } = await import('./programs.js');
    for (const { code, message } of programWarnings(request, draft.lifecycle, programs)) draft.warn(code, message);
  }
  if (descriptorWalk === 'none') {
    draft.warn(
      'W-SEC-905',
      'this host has no /proc/self/fd: paths of WASM tools are checked by name and not by descriptor, so a process that swaps folders for links could lead a tool out of the work folder',
    );
  }
  draft.reach = reach;
  draft.scopeReport = scopeReport(reach.scope);
}

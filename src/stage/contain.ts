import { MurError } from '../errors/index.js';
import { containmentOfThisBuild, hasDescriptorWalk, scopeFolders, scopeReport } from '../scope/index.js';
import { needed, type StageDraft } from './draft.js';

/** Reads the host once; every later decision uses this reading. */
export function probe(draft: StageDraft): void {
  draft.hostFacts = { platform: process.platform, descriptorWalk: hasDescriptorWalk() ? 'full' : 'none' };
}

/**
 * Decides the containment class, refuses a floor this host, with this build, does not reach, and reports what the session may do.
 * Refusal and report follow from the same decision.
 */
export function contain(draft: StageDraft): void {
  const { request, home } = draft;
  const { platform, descriptorWalk } = needed(draft.hostFacts, 'probe');
  const decision = containmentOfThisBuild(request.declaredContainmentFloor, {
    platform,
    descriptorWalk: descriptorWalk === 'full',
  });
  const { floor: declared, achieved } = decision;
  if (!decision.floorMet) {
    throw new MurError(
      'E-CAP-003',
      `declared containment class '${declared}' is not achievable on this host (achieved: '${achieved}'): ${decision.shortfallReason}`,
      {
        hint: `lower the floor to '${achieved}' in capabilities.containment or in the config file`,
      },
    );
  }
  if (descriptorWalk === 'none') {
    draft.warn(
      'W-SEC-905',
      'this host has no /proc/self/fd: paths of WASM tools are checked by name and not by descriptor, so a process that swaps folders for links could lead a tool out of the work folder',
    );
  }
  draft.containment = { declared, achieved, reason: decision.noTierBecause ?? decision.mechanism };
  const { manifest, policy, manifestDir, workdir } = request;
  const folders = scopeFolders({ home, manifestDir, ...(workdir === undefined ? {} : { workdir }) });
  draft.scopeReport = scopeReport({ policy, manifest, containment: decision, folders, platform });
}

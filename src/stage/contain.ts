import { existsSync } from 'node:fs';
import { MurError } from '../errors/index.js';
import type { ContainmentClass } from '../manifest/index.js';
import { type HostFacts, needed, type StageDraft } from './draft.js';

/** Reads the host once; every later decision uses this reading. */
export function probe(draft: StageDraft): void {
  draft.hostFacts = {
    platform: process.platform,
    descriptorWalk: process.platform === 'linux' && existsSync('/proc/self/fd') ? 'full' : 'none',
  };
}

const strength: Readonly<Record<ContainmentClass, number>> = { unconfined: 0, advisory: 1, scoped: 2, sealed: 3 };

/**
 * Decides the containment class and refuses a floor this host, with this build, does not reach. WASM guests are confined by their
 * imports and by the descriptor walk; native processes are not started at all yet, so the claim stays at `advisory`.
 */
export function contain(draft: StageDraft): void {
  const declared = draft.request.declaredContainmentFloor;
  const facts = needed(draft.hostFacts, 'probe');
  const achieved: ContainmentClass = declared === 'unconfined' ? 'unconfined' : 'advisory';
  const reason = describe(facts);
  if (strength[declared] > strength[achieved]) {
    throw new MurError(
      'E-CAP-003',
      `declared containment class '${declared}' is not achievable on this host (achieved: '${achieved}'): ${reason}`,
      {
        hint: `lower the floor to '${achieved}' in capabilities.containment or in the config file`,
      },
    );
  }
  if (facts.descriptorWalk === 'none') {
    draft.warn(
      'W-SEC-002',
      'this host has no /proc/self/fd: paths of WASM tools are checked by name and not by descriptor, so a process that swaps folders for links could lead a tool out of the work folder',
    );
  }
  draft.containment = { declared, achieved, reason };
}

function describe(facts: HostFacts): string {
  return facts.descriptorWalk === 'full'
    ? 'this version of mur confines WASM tools only; it starts no native process and installs no kernel sandbox'
    : `on ${facts.platform} this version of mur confines WASM tools by name checks only`;
}

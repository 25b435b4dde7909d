import { type ContainmentClass, containmentClasses } from '../manifest/containment.js';
import type { ContainmentAsked, ContainmentDecision } from './decide.js';

/** Floors that every host meets. */
type Undemanding = Extract<ContainmentClass, 'unconfined' | 'advisory'>;

/**
 * Whether the decision depends on the host: something of the session runs on a kernel mechanism, or somebody was promised one. Asking
 * costs every start a dozen child processes.
 */
export function needsHost({ floor, startsProcesses }: Pick<ContainmentAsked, 'floor' | 'startsProcesses'>): boolean {
  return startsProcesses || !isUndemanding(floor);
}

/**
 * The decision of a session that needs no host. Claims nothing of one: guests are confined by their imports and by the path walk
 * (workers/wasi), and nothing else of the session runs.
 */
export function decideWithoutHost(floor: ContainmentClass): ContainmentDecision {
  if (!isUndemanding(floor)) throw new RangeError(`whether a host backs '${floor}' depends on the host`);
  return {
    floor,
    hostTier: 'none',
    tier: 'none',
    achieved: floor,
    hostContainment: 'advisory',
    mechanism: 'none',
    noInet: false,
    noexec: null,
    floorMet: true,
    networkMet: true,
    usernsGrant: null,
    landlockAbi: null,
    chain: 'plain',
    noTierBecause:
      'this capsule starts no native process, so no kernel sandbox was set up, and this host was not asked for one',
  };
}

function isUndemanding(floor: ContainmentClass): floor is Undemanding {
  return containmentClasses.indexOf(floor) <= containmentClasses.indexOf('advisory');
}

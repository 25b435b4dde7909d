import { existsSync } from 'node:fs';
import { type ContainmentClass, containmentClasses } from '../manifest/containment.js';
import type { ScopeContainment } from './types.js';

/** Whether paths of guests are walked by descriptor; elsewhere they are only checked by name (design/wasm.md 5.2). */
export function hasDescriptorWalk(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'linux' && existsSync('/proc/self/fd');
}

/**
 * What a session with this floor gets of this build. Guests are confined by their imports and by the path walk on every host; no
 * native process is started and no kernel mechanism is installed, so nothing above `advisory` is ever claimed.
 */
export function containmentOfThisBuild(
  floor: ContainmentClass,
  host: { readonly platform: NodeJS.Platform; readonly descriptorWalk: boolean },
): ScopeContainment {
  const achieved: ContainmentClass = floor === 'unconfined' ? 'unconfined' : 'advisory';
  const floorMet = containmentClasses.indexOf(floor) <= containmentClasses.indexOf(achieved);
  const reason = host.descriptorWalk
    ? 'this version of mur confines WASM tools only; it starts no native process and installs no kernel sandbox'
    : `on ${host.platform} this version of mur confines WASM tools by name checks only`;
  return {
    floor,
    tier: 'none',
    achieved,
    hostContainment: 'advisory',
    mechanism: 'none',
    noexec: null,
    floorMet,
    ...(floorMet ? {} : { shortfallReason: reason }),
    usernsGrant: null,
    landlockAbi: null,
    noTierBecause: reason,
  };
}

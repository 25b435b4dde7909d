import type { ContainmentClass } from '../manifest/index.js';

/** The mechanism native processes run on, weakest last (spec/containment.md 3.1). */
export type Tier = 'sealed' | 'full' | 'seccomp' | 'none';

/** What AppArmor says about unprivileged user namespaces; everything but `withheld` permits them (spec/containment.md 3.4). */
export type UsernsGrant = 'apparmor_absent' | 'restriction_disabled_host_wide' | 'profile_confining' | 'withheld';

/** What the probes showed, as far as it decides the tier. */
export interface TierFacts {
  readonly isLinux: boolean;
  /** A stub or a koffi player ran a launch program. */
  readonly hasLauncher: boolean;
  /** The filter loaded and refused what it should. */
  readonly seccomp: boolean;
  /** A restricted child could use its own folder and open nothing else. */
  readonly landlock: boolean;
  readonly usernsPermitted: boolean;
  /** User, PID and mount namespaces through bubblewrap. */
  readonly bubblewrap: boolean;
}

/**
 * The strongest tier a host demonstrated (spec/containment.md 3.2). A host whose launcher or filter does not work has none, whatever
 * else it has: nothing could install the rest.
 */
export function hostTierOf(facts: TierFacts): Tier {
  if (!facts.isLinux || !facts.hasLauncher || !facts.seccomp) return 'none';
  if (!facts.landlock) return 'seccomp';
  return facts.usernsPermitted && facts.bubblewrap ? 'sealed' : 'full';
}

/**
 * The tier a session's commands run on: the host's, lowered by the floor and never raised (spec/containment.md 3.3). A weaker
 * declaration is not upgraded to the composed root, which would remove host paths its grants name.
 */
export function appliedTier(host: Tier, floor: ContainmentClass): Tier {
  if (floor === 'unconfined') return 'none';
  return host === 'sealed' && floor !== 'sealed' ? 'full' : host;
}

/** The class a tier stands for, before the caps of spec/containment.md 4. */
export function classOf(tier: Tier, floor: ContainmentClass): ContainmentClass {
  if (floor === 'unconfined') return 'unconfined';
  switch (tier) {
    case 'sealed':
      return 'sealed';
    case 'full':
      return 'scoped';
    default:
      return 'advisory';
  }
}

const wireNames: Readonly<Record<Tier, string>> = {
  sealed: 'mountns+pivot_root+landlock+seccomp',
  full: 'landlock+seccomp',
  seccomp: 'seccomp-only',
  none: 'none',
};

/** The name of a tier in reports, traces and texts. `+noinet`: internet sockets are refused for want of a network namespace. */
export function wireName(tier: Tier, noInet: boolean): string {
  return noInet ? `${wireNames[tier]}+noinet` : wireNames[tier];
}

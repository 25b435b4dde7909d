import { type ContainmentClass, containmentClasses } from '../manifest/containment.js';
import { landlockMissing } from './blockers.js';
import type { Chain, HostReport } from './host.js';
import { appliedTier, classOf, type Tier, type UsernsGrant, wireName } from './tier.js';

/** What a session asks of its host. */
export interface ContainmentAsked {
  readonly floor: ContainmentClass;
  readonly workdirExec: boolean;
  readonly runtimeInsideWorkdir: boolean;
  readonly networkAllowEmpty: boolean;
  /** Any command, child or native tool is allowed. Decide again when resolution finds the first native tool. */
  readonly startsProcesses: boolean;
  /** Named by a shortfall that comes of where the runtime directory lies. */
  readonly folders?: { readonly work: string; readonly runtime: string };
}

/**
 * One value per session, from one probe: the floor refusal, the scope report, the temp mapping and the launch all read it
 * (spec/containment.md 1).
 */
export interface ContainmentDecision {
  readonly floor: ContainmentClass;
  readonly hostTier: Tier;
  /** What commands run on. */
  readonly tier: Tier;
  readonly achieved: ContainmentClass;
  /** What the host could back for `sealed`; decides nothing. */
  readonly hostContainment: ContainmentClass;
  /** Wire name of `tier`, with `+noinet`. */
  readonly mechanism: string;
  /** Internet sockets are refused by the filter, for want of a network namespace. */
  readonly noInet: boolean;
  /** Work and temp folder are both mounted noexec; null when no tier applies. */
  readonly noexec: boolean | null;
  readonly floorMet: boolean;
  /** Present exactly when the floor is not met. */
  readonly shortfallReason?: string;
  /** False: processes are to reach hosts, and nothing here could hold them to those (`E-CAP-005`). */
  readonly networkMet: boolean;
  readonly usernsGrant: UsernsGrant | null;
  readonly landlockAbi: number | null;
  readonly chain: Chain;
  /** Why the tier is `none` although a contained session was asked for. */
  readonly noTierBecause?: string;
}

/** Decides everything about a session that depends on its host. Pure; refuses nothing: `checkContainment` does. */
export function decide(host: HostReport, asked: ContainmentAsked): ContainmentDecision {
  const { floor } = asked;
  const tier = appliedTier(host.hostTier, floor);
  const achieved = capped(classOf(tier, floor), asked);
  const floorMet = rank(achieved) >= rank(floor);
  // Also where hosts are allowed: that is refused while staging, and what started all the same must not find the host's network.
  const noInet = tier !== 'none' && !host.network.usable;
  return {
    floor,
    hostTier: host.hostTier,
    tier,
    achieved,
    hostContainment: classOf(host.hostTier, 'sealed'),
    mechanism: wireName(tier, noInet),
    noInet,
    noexec: tier === 'none' ? null : host.noexec && !asked.workdirExec,
    floorMet,
    ...(floorMet ? {} : { shortfallReason: shortfall(host, asked) }),
    networkMet: (host.network.usable && host.network.closed === undefined) || !needsNetwork(host, asked),
    usernsGrant: host.usernsGrant,
    landlockAbi: host.landlockAbi,
    chain: tier === 'none' ? 'plain' : host.chain,
    ...(tier === 'none' && floor !== 'unconfined' ? { noTierBecause: whyNoTier(host) } : {}),
  };
}

/** On other systems, and unconfined, no network is promised to be held to anything (spec/containment.md 4, row 4). */
function needsNetwork(
  { platform }: HostReport,
  { floor, networkAllowEmpty, startsProcesses }: ContainmentAsked,
): boolean {
  return platform === 'linux' && floor !== 'unconfined' && startsProcesses && !networkAllowEmpty;
}

/** Caps leave the mechanism alone: it is in force, and no longer backs the promise of its class (spec/containment.md 4). */
function capped(achieved: ContainmentClass, asked: ContainmentAsked): ContainmentClass {
  if (!asked.workdirExec && !asked.runtimeInsideWorkdir) return achieved;
  return rank(achieved) > rank('advisory') ? 'advisory' : achieved;
}

/** Only asked where the floor is above `advisory`, which every host meets. */
function shortfall(host: HostReport, { floor, workdirExec, runtimeInsideWorkdir, folders }: ContainmentAsked): string {
  if (workdirExec) {
    return (
      `capabilities.filesystem.workdir_exec: true lets commands run files they wrote themselves, so no host can satisfy '${floor}'; ` +
      `remove the key, or lower the floor to 'advisory'`
    );
  }
  if (runtimeInsideWorkdir) {
    const places = folders === undefined ? '' : ` (${folders.runtime} is inside ${folders.work})`;
    return `the runtime directory of the session lies inside the work folder${places}, where commands may write; move one of them`;
  }
  if (host.platform === 'linux' && host.noTierBecause !== undefined) return host.noTierBecause;
  if (floor === 'sealed' && host.sealedBlocker !== undefined) return sentence(host.sealedBlocker);
  if (floor === 'sealed') return 'the mechanism of the class was not demonstrated on this host';
  return host.platform === 'linux' ? sentence(landlockMissing()) : notLinux(host);
}

function whyNoTier(host: HostReport): string {
  return host.noTierBecause ?? notLinux(host);
}

function notLinux({ platform }: HostReport): string {
  return `Landlock and seccomp exist on Linux only (Landlock from 5.13 on), so on ${platform} nothing in the kernel confines a command, permanently; mur does not fall back to a weaker class`;
}

function sentence({ reason, fix }: { readonly reason: string; readonly fix: string }): string {
  return fix === '' ? reason : `${reason}; ${fix}`;
}

function rank(name: ContainmentClass): number {
  return containmentClasses.indexOf(name);
}

import type { ContainmentClass } from '../manifest/index.js';
import type { HostReport } from './host.js';
import type { Tier, UsernsGrant } from './tier.js';

/** How a command is started, outermost first: each ends in the launch program. */
export type Chain = 'bubblewrap' | 'unshare' | 'stub' | 'plain';

/** What a session asks of its host. */
export interface ContainmentAsked {
  readonly floor: ContainmentClass;
  readonly workdirExec: boolean;
  readonly runtimeInsideWorkdir: boolean;
  readonly networkAllowEmpty: boolean;
  /** Any command, child or native tool is allowed. */
  readonly startsProcesses: boolean;
  /** Named by a shortfall caused by where the runtime directory lies. */
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
  /** Work and temp folder are mounted noexec; null when no tier applies. */
  readonly noexec: boolean | null;
  readonly floorMet: boolean;
  /** Present exactly when the floor is not met. */
  readonly shortfallReason?: string;
  readonly usernsGrant: UsernsGrant | null;
  readonly landlockAbi: number | null;
  readonly chain: Chain;
  /** Why the tier is `none` although a contained session was asked for. */
  readonly noTierBecause?: string;
}

export type Decide = (host: HostReport, asked: ContainmentAsked) => ContainmentDecision;

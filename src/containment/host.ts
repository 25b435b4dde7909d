import type { Tier, UsernsGrant } from './tier.js';

/** How a command is started, outermost first. All but `plain` end in the launch program. */
export type Chain = 'bubblewrap' | 'unshare' | 'stub' | 'plain';

/** How much of a mechanism a host has. */
export type Strength = 'full' | 'partial' | 'none';

/** One mechanism as `mur doctor` shows it. */
export interface Mechanism {
  readonly name: string;
  readonly strength: Strength;
  readonly detail: string;
  /** What an operator can do about it. Absent when nothing is missing, or nothing can be done. */
  readonly fix?: string;
}

export type NetworkBlocker = 'capability_grant_missing' | 'kernel_support_missing';

export type SealedBlockerName =
  | 'not_linux'
  | 'apparmor_profile_missing'
  | 'bubblewrap_missing'
  | 'namespace_creation_denied'
  | 'kernel_unsupported'
  | 'id_map_denied'
  | 'mount_denied'
  | 'pivot_denied'
  | 'landlock_unavailable';

/** Why a host cannot back `sealed`, in words that stand alone. `fix` is empty where nothing can be done. */
export interface SealedBlocker {
  readonly name: SealedBlockerName;
  readonly reason: string;
  readonly fix: string;
}

/**
 * Whether a session can have a network namespace of its own. `closed`: it can, and nothing leads out of it, so that no allowed host can
 * be reached.
 */
export type NetworkReport =
  | { readonly usable: true; readonly closed?: { readonly reason: string; readonly fix: string } }
  | { readonly usable: false; readonly blocker: NetworkBlocker; readonly reason: string; readonly fix: string };

/**
 * What this host demonstrated, by live probes in throw-away children; nothing is read off a version number. The only source of
 * every decision that depends on the host (spec/containment.md 1, 3.4).
 */
export interface HostReport {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** Effective uid of the runtime; -1 where there are none. */
  readonly uid: number;
  /** What plays a launch program here. */
  readonly launcher: 'stub' | 'koffi' | null;
  /** The first of the tried folders a program could be executed in: not noexec. null: in none, or there was no need to ask. */
  readonly stubFolder: string | null;
  readonly seccomp: boolean;
  /** null: no domain could be entered, whatever the kernel says its version is. */
  readonly landlockAbi: number | null;
  readonly network: NetworkReport;
  /** Present when the binary is there, also if the host refuses what it does: `hostTier` tells. */
  readonly bubblewrap: { readonly path: string; readonly version: string; readonly bindFd: boolean } | null;
  /** Paths of the util-linux tools of the fallback chain. */
  readonly unshare: string | null;
  readonly nsenter: string | null;
  /** The strongest way of starting a command that worked here, whatever the tier. */
  readonly chain: Chain;
  /** A new `/proc` can be mounted; masked containers get an empty one. */
  readonly privateProc: boolean;
  /** Mounts made for a command can be made noexec; false leaves the loader hole of spec/containment.md 8 open. */
  readonly noexec: boolean;
  readonly usernsGrant: UsernsGrant | null;
  readonly hostTier: Tier;
  /** Absent when `hostTier` is `sealed`, or when `noTierBecause` says it all. */
  readonly sealedBlocker?: SealedBlocker;
  /** Why this Linux host has no tier at all: no launcher, or no filter. */
  readonly noTierBecause?: string;
  readonly mechanisms: readonly Mechanism[];
  /** How long the probes took, all together. */
  readonly probedInMs: number;
}

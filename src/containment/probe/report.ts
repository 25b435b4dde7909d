import { sealedBlocker } from '../blockers.js';
import type { HostReport } from '../host.js';
import type { UsernsGrant } from '../tier.js';
import { mechanismsOf, untried } from './mechanisms.js';

export type HostFacts = Pick<HostReport, 'platform' | 'arch' | 'uid'>;

/** The report of a Linux host where no mechanism can be used, for one reason. */
export function nothing(
  host: HostFacts,
  grant: UsernsGrant | null,
  noTierBecause: string,
): Omit<HostReport, 'mechanisms'> {
  return {
    ...host,
    launcher: null,
    stubFolder: null,
    seccomp: false,
    landlockAbi: null,
    network: {
      usable: false,
      blocker: 'kernel_support_missing',
      reason: noTierBecause,
      fix: 'run mur where its launch program runs',
    },
    bubblewrap: null,
    unshare: null,
    nsenter: null,
    chain: 'plain',
    privateProc: false,
    noexec: false,
    usernsGrant: grant,
    hostTier: 'none',
    noTierBecause,
    probedInMs: 0,
  };
}

/** The report of another system. It names no missing package or setting: none would help. */
export function withoutLinux(host: HostFacts): HostReport {
  const blocker = sealedBlocker('not_linux');
  const { noTierBecause: _, ...report } = nothing(host, null, blocker.reason);
  return withMechanisms({ ...report, sealedBlocker: blocker }, { launcher: '' });
}

/** What the probes said about what they did not find; what was not tried is absent. */
interface Said {
  readonly launcher: string;
  readonly landlock?: string;
  readonly seccomp?: string;
  readonly namespaces?: string;
  readonly cgroup?: string;
  readonly pidfd?: number;
  readonly closeRange?: number;
}

/** The report with its rows for `mur doctor`. */
export function withMechanisms(report: Omit<HostReport, 'mechanisms'>, said: Said): HostReport {
  const mechanisms = mechanismsOf(report, {
    launcherSaid: said.launcher,
    landlockSaid: said.landlock ?? untried,
    seccompSaid: said.seccomp ?? untried,
    namespacesSaid: said.namespaces ?? untried,
    pidfd: said.pidfd,
    closeRange: said.closeRange,
    ...(said.cgroup === undefined ? {} : { cgroupRefused: said.cgroup }),
  });
  return { ...report, mechanisms };
}

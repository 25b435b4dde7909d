/**
 * Finds out what a host can do, by doing it in throw-away children with the launcher that commands get. The runtime itself is never
 * restricted: whoever enters a Landlock domain can mount nothing any more. Not the decision: tier.ts and decide.ts are pure.
 *
 * | File | Shows |
 * |---|---|
 * | launcher | that a launch program can be played, and by what |
 * | kernel | Landlock, seccomp |
 * | network | the network namespace of a session |
 * | namespaces | bubblewrap, or unshare in its place; noexec; a private /proc |
 * | tools, userns-grant | what is installed, what AppArmor says |
 * | attempt | one child |
 * | report, mechanisms | the report of a host that has nothing; all of it as `mur doctor` prints it |
 */
import { arch as architecture } from 'node:os';
import { findBase, systemFiles } from '../../resources/index.js';
import { noTier, sealedBlocker } from '../blockers.js';
import type { Chain, HostReport, SealedBlocker } from '../host.js';
import { isSupported } from '../seccomp/index.js';
import { hostTierOf, type UsernsGrant } from '../tier.js';
import { type Shown, showLandlock, showSeccomp } from './kernel.js';
import { findLauncher, type Launcher, type LauncherOptions } from './launcher.js';
import { seccompFix } from './mechanisms.js';
import { type Namespaces, showBubblewrap, showUnshare } from './namespaces.js';
import { showNetwork } from './network.js';
import { type HostFacts, nothing, withMechanisms, withoutLinux } from './report.js';
import { describeBubblewrap, locate, toolFolders } from './tools.js';
import { type ReadText, systemText, usernsGrant } from './userns-grant.js';

export interface ProbeOptions {
  /** Put before every probe child: poor hosts in tests. */
  readonly wrapper?: readonly string[];
  /** Looks again instead of taking what this process found out before. */
  readonly fresh?: boolean;
  /** Tests only, like all that follows. */
  readonly platform?: NodeJS.Platform;
  readonly arch?: string;
  readonly toolFolders?: readonly string[];
  readonly stubFolders?: LauncherOptions['stubFolders'];
  readonly players?: LauncherOptions['players'];
  readonly readText?: ReadText;
}

let known: Promise<HostReport> | undefined;

/**
 * What this host can do. Taken once per process unless asked for afresh; a report of changed circumstances (any option) is never
 * kept. Rejects only where a probe cannot even make a folder to work in.
 */
export function probeHost(options: ProbeOptions = {}): Promise<HostReport> {
  const { fresh = false, ...circumstances } = options;
  if (Object.keys(circumstances).length > 0) return probe(circumstances);
  if (fresh || known === undefined) {
    const taken = probe({});
    known = taken;
    taken.catch(() => {
      if (known === taken) known = undefined;
    });
  }
  return known;
}

async function probe(options: Omit<ProbeOptions, 'fresh'>): Promise<HostReport> {
  const started = performance.now();
  const { platform = process.platform, arch = architecture(), wrapper = [] } = options;
  const uid = process.geteuid?.() ?? -1;
  const host = { platform, arch, uid };
  const took = () => Math.round(performance.now() - started);
  if (platform !== 'linux') return withoutLinux(host);
  const grant = usernsGrant(platform, options.readText ?? systemText);
  const base = await findBase(systemFiles, process.pid);
  const cgroup = 'refused' in base ? { cgroup: base.refused } : {};
  if (!isSupported(arch)) {
    const reason = noTier('launcher', `mur has no launch program for ${arch}`);
    return withMechanisms({ ...nothing(host, grant, reason), probedInMs: took() }, { launcher: reason, ...cgroup });
  }
  const { stubFolders, players } = options;
  const found = await findLauncher({
    arch,
    wrapper,
    ...(stubFolders === undefined ? {} : { stubFolders }),
    ...(players === undefined ? {} : { players }),
  });
  try {
    return await probeWith(found, {
      host,
      grant,
      cgroup,
      folders: options.toolFolders ?? toolFolders,
      took,
    });
  } finally {
    await found.close();
  }
}

interface Circumstances {
  readonly host: HostFacts;
  readonly grant: UsernsGrant | null;
  /** Why no scope can be had. */
  readonly cgroup: { readonly cgroup?: string };
  readonly folders: readonly string[];
  readonly took: () => number;
}

async function probeWith(found: Launcher, { host, grant, cgroup, folders, took }: Circumstances): Promise<HostReport> {
  const { lab, player, stubFolder, landlockVersion, pidfd, closeRange } = found;
  const [bwrap, unshare, nsenter] = ['bwrap', 'unshare', 'nsenter'].map((tool) => locate(tool, folders));
  const tools = { unshare: unshare ?? null, nsenter: nsenter ?? null };
  const described = bwrap === null || bwrap === undefined ? null : describeBubblewrap(lab, bwrap);
  if (player === null) {
    const report = { ...nothing(host, grant, noTier('launcher', found.said)), probedInMs: took() };
    return withMechanisms({ ...report, ...tools, bubblewrap: await described }, { launcher: found.said, ...cgroup });
  }
  const [bubblewrap, landlock, seccomp, network, boxes] = await Promise.all([
    described,
    showLandlock(lab, player, landlockVersion),
    showSeccomp(lab, player),
    showNetwork(lab, player, tools, grant),
    bwrap === null || bwrap === undefined ? null : showBubblewrap(lab, player, bwrap),
  ]);
  // Only where it is needed: a second way would cost every start the time of three children.
  const through =
    boxes?.works === true || tools.unshare === null ? null : await showUnshare(lab, player, tools.unshare);
  const chain: Chain = boxes?.works === true ? 'bubblewrap' : through?.works === true ? 'unshare' : 'stub';
  const working = [boxes, through].find((each) => each?.works === true);
  const hostTier = hostTierOf({
    isLinux: true,
    hasLauncher: true,
    seccomp: seccomp.works,
    landlock: landlock.works,
    usernsPermitted: grant !== 'withheld',
    bubblewrap: boxes?.works === true,
  });
  const blocker = seccomp.works ? blockerOf(grant, boxes, landlock) : undefined;
  const report = {
    ...host,
    launcher: player.kind,
    stubFolder,
    seccomp: seccomp.works,
    landlockAbi: landlock.works ? landlockVersion : null,
    network: seccomp.works ? network : unusedNetwork(noTier('seccomp', seccomp.said)),
    bubblewrap,
    ...tools,
    chain,
    privateProc: working?.works === true && working.privateProc,
    noexec: working?.works === true && working.noexec,
    usernsGrant: grant,
    hostTier,
    ...(blocker === undefined ? {} : { sealedBlocker: blocker }),
    ...(seccomp.works ? {} : { noTierBecause: noTier('seccomp', seccomp.said) }),
    probedInMs: took(),
  };
  return withMechanisms(report, {
    launcher: found.said,
    landlock: saidBy(landlock),
    seccomp: saidBy(seccomp),
    namespaces: saidBy(through) || saidBy(boxes) || 'neither bubblewrap nor unshare of util-linux is installed',
    pidfd,
    closeRange,
    ...cgroup,
  });
}

/** What keeps this host from `sealed`, by the precedence of spec/containment.md 3.4. */
function blockerOf(grant: UsernsGrant | null, boxes: Namespaces | null, landlock: Shown): SealedBlocker | undefined {
  if (grant === 'withheld') return sealedBlocker('apparmor_profile_missing');
  if (boxes === null) return sealedBlocker('bubblewrap_missing');
  if (!boxes.works) return sealedBlocker(boxes.blocker, boxes.said);
  return landlock.works ? undefined : sealedBlocker('landlock_unavailable', landlock.said);
}

/** Nothing is put around a command without a filter, so neither is a namespace. */
function unusedNetwork(reason: string): HostReport['network'] {
  return { usable: false, blocker: 'kernel_support_missing', reason, fix: seccompFix };
}

function saidBy(shown: Shown | Namespaces | null): string {
  return shown === null || shown.works ? '' : shown.said;
}

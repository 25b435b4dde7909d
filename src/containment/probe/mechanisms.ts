import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { HostReport, Mechanism } from '../host.js';
import { errnoName } from './errno.js';

/** What the report does not hold and `mur doctor` shows. */
export interface Findings {
  readonly launcherSaid: string;
  readonly landlockSaid: string;
  readonly seccompSaid: string;
  readonly namespacesSaid: string;
  /** A descriptor, or an errno below zero; like `closeRange` absent where nothing could be tried. */
  readonly pidfd: number | undefined;
  /** 0, or an errno below zero. */
  readonly closeRange: number | undefined;
  /** Why no cgroup scope can be had; `undefined`: one can. */
  readonly cgroupRefused?: string;
}

/** Every mechanism of the host with its strength, the evidence, and what an operator can do (spec/containment.md 3.4). */
export function mechanismsOf(report: Omit<HostReport, 'mechanisms'>, found: Findings): readonly Mechanism[] {
  if (report.platform !== 'linux') {
    return [{ name: 'kernel sandbox', strength: 'none', detail: `there is none for mur on ${report.platform}` }];
  }
  return [
    launcher(report, found),
    landlock(report, found),
    row('seccomp', report.seccomp, 'the filter loads and refuses', found.seccompSaid, seccompFix),
    userNamespaces(report, found),
    network(report),
    bubblewrap(report),
    row(
      'private /proc',
      report.privateProc,
      "a command's /proc shows its own processes only",
      report.chain === 'stub'
        ? 'there is no mount namespace to put one in'
        : 'a command gets an empty /proc: this container masks it',
    ),
    row(
      'noexec',
      report.noexec,
      'folders a command writes to are mounted noexec',
      'folders a command writes to cannot be made noexec, so the loader can run a program copied there',
    ),
    closeRange(found),
    cgroup(found),
    pidfd(found),
    rootRuntime(report, found),
    dumpable(report),
  ];
}

/** The detail of what only a launch program could have found out. */
export const untried = 'not tried: nothing plays a launch program here';

export const seccompFix =
  'run a kernel built with CONFIG_SECCOMP_FILTER=y, in a container whose own profile allows seccomp(2)';

function row(name: string, works: boolean, detail: string, otherwise: string, fix?: string): Mechanism {
  if (works) return { name, strength: 'full', detail };
  return { name, strength: 'none', detail: otherwise, ...(fix === undefined ? {} : { fix }) };
}

function launcher({ launcher: player }: Omit<HostReport, 'mechanisms'>, { launcherSaid }: Findings): Mechanism {
  const name = 'launcher';
  if (player === 'stub') return { name, strength: 'full', detail: 'the stub runs' };
  const fix = 'let programs be executed in the temporary folder or in the home folder';
  if (player === null) {
    return { name, strength: 'none', detail: launcherSaid, fix: `${fix}, or install koffi (npm install koffi)` };
  }
  return { name, strength: 'partial', detail: `through koffi, some 80 ms slower per command: ${launcherSaid}`, fix };
}

function landlock({ landlockAbi }: Omit<HostReport, 'mechanisms'>, { landlockSaid }: Findings): Mechanism {
  const fix = 'run a kernel with CONFIG_SECURITY_LANDLOCK=y and landlock in its lsm= list (Linux 5.13 and newer)';
  const name = 'landlock';
  if (landlockAbi === null) return { name, strength: 'none', detail: landlockSaid, fix };
  const missing = [
    ...(landlockAbi < 3 ? ['truncation is not mediated'] : []),
    ...(landlockAbi < 5 ? ['ioctl on devices is not mediated'] : []),
    ...(landlockAbi < 6 ? ['signals are not scoped'] : []),
  ];
  if (missing.length === 0) return { name, strength: 'full', detail: `version ${landlockAbi}` };
  return {
    name,
    strength: 'partial',
    detail: `version ${landlockAbi}: ${missing.join(', ')}`,
    fix: 'run a newer kernel (Linux 6.12)',
  };
}

function userNamespaces(report: Omit<HostReport, 'mechanisms'>, { namespacesSaid }: Findings): Mechanism {
  const { chain, sealedBlocker, usernsGrant } = report;
  const name = 'user namespaces';
  if (chain === 'bubblewrap' || chain === 'unshare') {
    const detail = `user, PID, IPC and mount namespaces through ${chain}`;
    if (usernsGrant !== 'restriction_disabled_host_wide') return { name, strength: 'full', detail };
    return { name, strength: 'full', detail: `${detail}; AppArmor leaves them open to every process of this host` };
  }
  const fix = sealedBlocker?.fix;
  return { name, strength: 'none', detail: namespacesSaid, ...(fix === undefined || fix === '' ? {} : { fix }) };
}

function network({ network: report }: Omit<HostReport, 'mechanisms'>): Mechanism {
  const name = 'network namespace';
  const made = 'made, with every address local';
  if (report.usable && report.closed === undefined) return { name, strength: 'full', detail: made };
  if (report.usable) {
    const { reason, fix } = report.closed!;
    return { name, strength: 'partial', detail: `${made}, and no allowed host can be reached from it: ${reason}`, fix };
  }
  return { name, strength: 'none', detail: report.reason, fix: report.fix };
}

function bubblewrap({ bubblewrap: found, chain }: Omit<HostReport, 'mechanisms'>): Mechanism {
  const name = 'bubblewrap';
  const fix = 'install the package bubblewrap of this host (Debian, Ubuntu: apt-get install bubblewrap)';
  if (found === null) return { name, strength: 'none', detail: 'not installed', fix };
  const detail = `${found.path} ${found.version}`;
  if (chain !== 'bubblewrap') return { name, strength: 'none', detail: `${detail}, which this host does not let work` };
  if (found.bindFd) return { name, strength: 'full', detail };
  return { name, strength: 'partial', detail: `${detail}, without --bind-fd`, fix: 'update the package bubblewrap' };
}

function closeRange({ closeRange: result }: Findings): Mechanism {
  return row(
    'close_range',
    result === 0,
    'no descriptor of mur reaches a command',
    result === undefined ? untried : `${errnoName(-result)}: no command is started without it`,
    'run Linux 5.11 or newer',
  );
}

function cgroup({ cgroupRefused }: Findings): Mechanism {
  return row(
    'cgroup',
    cgroupRefused === undefined,
    'a delegated v2 tree',
    cgroupRefused ?? '',
    'delegate a cgroup v2 tree to this user: systemd-run --user --scope -p Delegate=yes mur …',
  );
}

function pidfd({ pidfd: result }: Findings): Mechanism {
  const name = 'pidfd';
  if (result === undefined) return { name, strength: 'none', detail: untried };
  if (result < 0) {
    return { name, strength: 'none', detail: `pidfd_open: ${errnoName(-result)}`, fix: 'run Linux 5.3 or newer' };
  }
  if (hasKoffi()) return { name, strength: 'full', detail: 'signals reach the process they are meant for' };
  return {
    name,
    strength: 'partial',
    detail: 'the kernel has them and koffi, which reaches them, is not installed',
    fix: 'npm install koffi',
  };
}

function hasKoffi(): boolean {
  try {
    createRequire(import.meta.url).resolve('koffi');
    return true;
  } catch {
    return false;
  }
}

function rootRuntime({ uid }: Omit<HostReport, 'mechanisms'>, { cgroupRefused }: Findings): Mechanism {
  const name = 'root runtime';
  if (uid !== 0) return { name, strength: 'full', detail: `mur runs as uid ${uid}` };
  const fix = 'run mur as another user';
  if (cgroupRefused === undefined) {
    return { name, strength: 'partial', detail: 'mur runs as root; its cgroup bounds processes', fix };
  }
  return { name, strength: 'partial', detail: 'mur runs as root: max_processes is not enforced', fix };
}

/** The kernel gives the files of a process that is not dumpable to root; as root that cannot be told from the outside. */
function dumpable({ uid }: Omit<HostReport, 'mechanisms'>): Mechanism {
  const name = 'dumpable';
  if (uid === 0) {
    return { name, strength: 'none', detail: 'any process of root can read the environment and the memory of mur' };
  }
  if (statSync('/proc/self/environ').uid !== uid) {
    return { name, strength: 'full', detail: 'no process of this user can read the environment or the memory of mur' };
  }
  return { name, strength: 'none', detail: 'processes of this user can read the environment and the memory of mur' };
}

/**
 * What is started around the player of a launch program: namespaces and mounts. Pure, but for the descriptors it is given numbers of.
 */
import { startFailure } from './box-errors.js';
import type { Chain, HostReport } from './host.js';
import { type DescriptorsForMounts, mountArguments } from './mount-arguments.js';
import type { MountPlan } from './mounts.js';
import type { Player } from './player.js';

export interface ChainAsked {
  readonly chain: Chain;
  readonly host: Pick<HostReport, 'bubblewrap' | 'unshare' | 'nsenter' | 'privateProc'>;
  readonly isSealed: boolean;
  readonly plan: MountPlan | undefined;
  readonly player: Player;
  /** Path of util-linux' setpriv, where it is installed. */
  readonly setpriv: string | undefined;
  /** Descriptors, in the child, of a network made for the session. */
  readonly network: { readonly userns: number; readonly netns: number } | undefined;
  /** Whether the command gets an empty network of its own. */
  readonly ownNetwork: boolean;
  /** Descriptor on which bubblewrap says the pid of its first process. */
  readonly infoFd: number | undefined;
  readonly mounts: DescriptorsForMounts;
}

/** The command line, outermost first. Throws `StartFailure` for a tool the host report does not have. */
export function commandLine(asked: ChainAsked): readonly string[] {
  return [...intoNetwork(asked), ...intoNamespaces(asked), asked.player.file, ...asked.player.args];
}

function intoNetwork({ network, host }: ChainAsked): readonly string[] {
  if (network === undefined) return [];
  const of = (fd: number) => `/proc/self/fd/${fd}`;
  return [
    toolOf(host.nsenter, 'nsenter'),
    `--user=${of(network.userns)}`,
    `--net=${of(network.netns)}`,
    '--preserve-credentials',
    '--',
  ];
}

function intoNamespaces(asked: ChainAsked): readonly string[] {
  switch (asked.chain) {
    case 'bubblewrap':
      return bubblewrap(asked);
    case 'unshare':
      return [
        ...endsWithRuntime(asked),
        toolOf(asked.host.unshare, 'unshare'),
        // The user who calls; mounts, pids and ipc of its own; it all ends with this process.
        ...['-c', '-m', '-p', '-i', '-f', '--kill-child', '--keep-caps'],
        ...(asked.ownNetwork ? ['-n'] : []),
        '--',
      ];
    case 'stub':
      // Mounts cannot be made here, but a network that leads nowhere can.
      return asked.ownNetwork ? [toolOf(asked.host.unshare, 'unshare'), '-c', '-n', '--keep-caps', '--'] : [];
    default:
      return [];
  }
}

/** unshare takes its child along, but nothing would take unshare along when the runtime is killed. Of the same package. */
function endsWithRuntime({ setpriv }: ChainAsked): readonly string[] {
  return setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL', '--'];
}

function bubblewrap({ host, isSealed, plan, ownNetwork, infoFd, mounts }: ChainAsked): readonly string[] {
  return [
    toolOf(host.bubblewrap?.path, 'bubblewrap'),
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--die-with-parent'],
    ...(ownNetwork ? ['--unshare-net'] : []),
    ...(isSealed ? ['--unshare-uts', '--hostname', 'capsule', '--unshare-cgroup-try'] : []),
    ...(infoFd === undefined ? [] : ['--info-fd', String(infoFd)]),
    ...(plan === undefined ? [] : mountArguments(plan, host.privateProc, mounts)),
    // For the launch program, which gives them up before it executes anything.
    ...['--cap-add', 'CAP_SYS_ADMIN', '--cap-add', 'CAP_SETPCAP', '--'],
  ];
}

function toolOf(path: string | null | undefined, name: string): string {
  if (path === null || path === undefined) throw startFailure(name, 'it was not found on this host', false);
  return path;
}

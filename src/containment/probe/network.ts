import { linkUp, localDefault } from '../../../workers/netlink.js';
import { networkBlocker } from '../blockers.js';
import type { NetworkBlocker, NetworkReport } from '../host.js';
import { koffiPlayer, type Player } from '../player.js';
import { memory, type Op } from '../program.js';
import type { UsernsGrant } from '../tier.js';
import { type Attempt, attempt, type Lab, succeeded } from './attempt.js';
import { errno } from './errno.js';
import { whatFailed } from './launcher.js';

const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2000000;
const NETLINK_ROUTE = 0;
/** The only interface of a new network namespace. */
const loopback = 1;

/** The listeners inside are opened by workers/network-helper.ts, which has no launch program and makes its calls through koffi. */
const closedWithoutKoffi: NetworkReport = {
  usable: true,
  closed: {
    reason: 'koffi, an optional dependency of mur that opens a way out of the namespace, is not installed',
    fix: 'npm install koffi',
  },
};

/** `struct nlmsghdr` and the errno after it. */
const answerBytes = 20;

/**
 * A user and network namespace of its own, `lo` up, and every IPv4 address local: what the egress of a session is made of
 * (spec/containment.md 14.1). IPv6 may be switched off on a host, and is not asked for here.
 */
export async function showNetwork(
  lab: Lab,
  player: Player,
  tools: { readonly unshare: string | null; readonly nsenter: string | null },
  grant: UsernsGrant | null,
): Promise<NetworkReport> {
  const { unshare, nsenter } = tools;
  if (unshare === null || nsenter === null) return toolsMissing(unshare === null ? 'unshare' : 'nsenter');
  const answer = await attempt(lab, player, [unshare, '-c', '-n', '--keep-caps', '--'], setUp(lab));
  const refused = answers(answer).find((each) => each !== 0);
  if (succeeded(answer) && refused === undefined)
    return koffiPlayer() === undefined ? closedWithoutKoffi : { usable: true };
  if (grant === 'withheld') return networkBlocker('capability_grant_missing', 'AppArmor withholds it');
  if (succeeded(answer)) return networkBlocker(blockerOf(refused!), `configuration of lo: errno ${refused}`);
  return networkBlocker(networkBlockerOf(answer), whatFailed(answer));
}

function setUp({ call }: Lab): readonly Op[] {
  const socket = memory(4);
  const request = (bytes: Uint8Array): Op[] => {
    const answer = memory(answerBytes);
    return [
      call('sendto', [socket, memory(bytes), bytes.length, 0, 0, 0], { firstIsStored: true }),
      call('recvfrom', [socket, answer, answerBytes, 0, 0, 0], { firstIsStored: true }),
      call('write', [1, answer, answerBytes], { step: 'answer' }),
    ];
  };
  return [
    call('socket', [AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_ROUTE], { store: { into: socket, at: 0 } }),
    ...request(linkUp(loopback)),
    ...request(localDefault('ipv4', loopback)),
  ];
}

/** The errnos of both requests, 0 for success. */
function answers({ out }: Attempt): readonly number[] {
  const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
  return [0, 1]
    .filter((i) => out.length >= (i + 1) * answerBytes)
    .map((i) => -view.getInt32(i * answerBytes + 16, true));
}

function networkBlockerOf({ report, said }: Attempt): NetworkBlocker {
  if (report.kind === 'failed') return blockerOf(report.errno);
  return /not permitted|denied|id_?map|setgroups/i.test(said) ? 'capability_grant_missing' : 'kernel_support_missing';
}

function blockerOf(number: number): NetworkBlocker {
  return number === errno.EPERM || number === errno.EACCES ? 'capability_grant_missing' : 'kernel_support_missing';
}

function toolsMissing(tool: string): NetworkReport {
  return {
    usable: false,
    blocker: 'kernel_support_missing',
    reason: `${tool} of util-linux, which makes and enters the namespace, is not installed on this host`,
    fix: 'install the package util-linux of this host',
  };
}

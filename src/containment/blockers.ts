/**
 * What keeps a host from a mechanism, in words an operator can act on. Texts only: probe/ finds out which one applies. Each says
 * that nothing weaker is taken instead, because a reader of a refusal wonders about that first (spec/containment.md 4).
 */
import type { NetworkBlocker, NetworkReport, SealedBlocker, SealedBlockerName } from './host.js';

const noFallback = 'mur does not fall back to a weaker class';
const bubblewrapPackage = 'install the package bubblewrap of this host (Debian, Ubuntu: apt-get install bubblewrap)';
const loadProfile =
  'install the profile to /etc/apparmor.d/mur-sealed (mode 644) and load it with apparmor_parser -r /etc/apparmor.d/mur-sealed; ' +
  'or set the sysctl kernel.apparmor_restrict_unprivileged_userns=0 for the whole host';

const sealedTexts: Readonly<Record<SealedBlockerName, { readonly reason: string; readonly fix: string }>> = {
  not_linux: {
    reason: 'a private mount namespace and pivot_root exist on Linux only, so this kind of host can never back it',
    fix: '',
  },
  apparmor_profile_missing: {
    reason:
      'the AppArmor userns restriction of this host withholds capabilities in new user namespaces, and the profile mur-sealed that would grant them is not in force',
    fix: loadProfile,
  },
  bubblewrap_missing: {
    reason: 'bubblewrap (bwrap), which makes the private root, is not installed on this host',
    fix: bubblewrapPackage,
  },
  namespace_creation_denied: {
    reason: 'unshare(CLONE_NEWUSER | CLONE_NEWNS) is denied here',
    fix: 'in a container, start it with --cap-add SYS_ADMIN; elsewhere allow unprivileged user namespaces',
  },
  kernel_unsupported: {
    reason: 'this kernel offers no user namespaces to mur',
    fix: 'set the sysctl user.max_user_namespaces=10000, or run a kernel built with CONFIG_USER_NS=y',
  },
  id_map_denied: {
    reason: 'writing uid_map or gid_map of a new user namespace is denied here',
    fix: 'look at the sysctl user.max_user_namespaces, at the policy of the security module, and whether mur runs in a nested namespace that maps no ids itself',
  },
  mount_denied: {
    reason: 'mount(2) inside a new mount namespace is denied here',
    fix: 'load the profile mur-sealed, or start the container with --cap-add SYS_ADMIN',
  },
  pivot_denied: {
    reason: 'pivot_root(2) inside a new mount namespace is denied here',
    fix: "add the rule 'pivot_root,' to the AppArmor profile, or allow the call in the seccomp profile of the container",
  },
  landlock_unavailable: {
    reason: 'Landlock, which Linux has from 5.13 on, is not enabled here',
    fix: 'run on a host that backs scoped: a kernel with CONFIG_SECURITY_LANDLOCK=y and landlock in its lsm= list',
  },
};

/** A blocker of `sealed` as text. `evidence` is what the failing probe said, for the person who has to look further. */
export function sealedBlocker(name: SealedBlockerName, evidence?: string): SealedBlocker {
  const { reason, fix } = sealedTexts[name];
  return { name, reason: `${reason}${said(evidence)}; ${noFallback}`, fix };
}

/** Why `scoped` is out of reach; the same words as for `sealed`, which needs Landlock too. */
export function landlockMissing(evidence?: string): { readonly reason: string; readonly fix: string } {
  return sealedBlocker('landlock_unavailable', evidence);
}

const networkTexts: Readonly<Record<NetworkBlocker, { readonly reason: string; readonly fix: string }>> = {
  capability_grant_missing: {
    reason: 'a network namespace, or a capability inside one, is denied here',
    fix: `in a container, start it with --cap-add SYS_ADMIN; with AppArmor ${loadProfile}`,
  },
  kernel_support_missing: {
    reason: 'this kernel offers no network namespace to mur',
    fix: 'run a kernel built with CONFIG_USER_NS=y and CONFIG_NET_NS=y, and set the sysctl user.max_user_namespaces=10000',
  },
};

export function networkBlocker(blocker: NetworkBlocker, evidence?: string): NetworkReport {
  const { reason, fix } = networkTexts[blocker];
  return { usable: false, blocker, reason: `${reason}${said(evidence)}`, fix };
}

/** Why a contained session on this Linux would have no tier. Said, never hidden: the session then runs as `advisory`. */
export function noTier(missing: 'launcher' | 'seccomp', evidence?: string): string {
  const what =
    missing === 'launcher'
      ? 'the launch program of mur runs on this host neither by its own binary nor through koffi, so no kernel mechanism can be put around a command'
      : 'this kernel loads no seccomp filter for mur, so no kernel mechanism is put around a command';
  return `${what}${said(evidence)}; ${noFallback}`;
}

function said(evidence: string | undefined): string {
  return evidence === undefined || evidence === '' ? '' : ` (${evidence})`;
}

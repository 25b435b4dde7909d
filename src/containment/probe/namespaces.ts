import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SealedBlockerName } from '../host.js';
import type { Player } from '../player.js';
import { text } from '../program.js';
import { bind, changeMount, mountProc } from '../steps.js';
import { type Attempt, attempt, type Lab, Measured, succeeded } from './attempt.js';
import { errno } from './errno.js';
import { whatFailed } from './launcher.js';

/** What one way of making mount namespaces can do. */
export type Namespaces =
  | { readonly works: true; readonly privateProc: boolean; readonly noexec: boolean }
  | { readonly works: false; readonly blocker: SealedBlockerName; readonly said: string };

/** Through bubblewrap: user, PID, IPC and mount namespaces, a bound folder, noexec on it, and a `/proc` of its own. */
export async function showBubblewrap(lab: Lab, player: Player, bwrap: string): Promise<Namespaces> {
  const own = await folderWithProgram(lab, 'bubblewrap');
  const chain = (...more: string[]) => [
    bwrap,
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--die-with-parent'],
    ...['--dev-bind', '/', '/', '--bind', own, own, ...more],
    // Mounts can be narrowed with these alone; the launch program drops them.
    ...['--cap-add', 'CAP_SYS_ADMIN', '--cap-add', 'CAP_SETPCAP', '--'],
  ];
  const noexec = noexecOn(lab, own);
  const [core, proc, narrowed] = await Promise.all([
    attempt(lab, player, chain(), []),
    attempt(lab, player, chain('--proc', '/proc'), []),
    // The launch program of a sealed command binds as well.
    attempt(lab, player, chain(), [bind(lab.call, own, own), ...noexec.ops]),
  ]);
  return namespacesOf(core!, proc!, narrowed!, noexec);
}

/** Through util-linux, for hosts without bubblewrap: the mounts are steps of the launch program. */
export async function showUnshare(lab: Lab, player: Player, unshare: string): Promise<Namespaces> {
  const own = await folderWithProgram(lab, 'unshare');
  const chain = [unshare, ...['-c', '-m', '-p', '-i', '-f', '--kill-child', '--keep-caps', '--']];
  const noexec = noexecOn(lab, own);
  const bound = bind(lab.call, own, own);
  const [core, proc, narrowed] = await Promise.all([
    // The chain makes folders read-only by itself, which bubblewrap does on its own account.
    attempt(lab, player, chain, [bound, changeMount(lab.call, { path: own, recursive: false, set: ['readonly'] })]),
    attempt(lab, player, chain, [bound, mountProc(lab.call, true)]),
    attempt(lab, player, chain, [bound, ...noexec.ops]),
  ]);
  return namespacesOf(core!, proc!, narrowed!, noexec);
}

function namespacesOf(core: Attempt, proc: Attempt, narrowed: Attempt, noexec: Measured): Namespaces {
  if (!succeeded(core)) return { works: false, blocker: sealedBlockerOf(core), said: whatFailed(core) };
  const isNarrowed = succeeded(narrowed) && noexec.read(narrowed)[0] === -errno.EACCES;
  return { works: true, privateProc: succeeded(proc), noexec: isNarrowed };
}

const AT_FDCWD = -100;
const X_OK = 1;

/** Makes the mount noexec and asks whether a program on it may still be executed. */
function noexecOn({ call }: Lab, own: string): Measured {
  const measured = new Measured(call).add(call('faccessat', [AT_FDCWD, text(join(own, 'program')), X_OK]));
  measured.ops.unshift(changeMount(call, { path: own, recursive: false, set: ['noexec', 'nosuid', 'nodev'] }));
  return measured;
}

async function folderWithProgram({ folder }: Lab, name: string): Promise<string> {
  const own = join(folder, name);
  await mkdir(own);
  await writeFile(join(own, 'program'), '#!/bin/sh\n', { mode: 0o755 });
  return own;
}

/** The stage a chain failed at, by what it says: neither tool has a status of its own for it (spec/containment.md 3.4). */
export function sealedBlockerOf({ report, said }: Pick<Attempt, 'report' | 'said'>): SealedBlockerName {
  if (report.kind === 'failed') return 'mount_denied';
  if (/[ug]id_?map|[ug]id map|setgroups/i.test(said)) return 'id_map_denied';
  if (/pivot_?root|pivot/i.test(said)) return 'pivot_denied';
  if (
    /mount|remount|make .*slave|propagation|bind|can't (create|mkdir|find source)|tmpfs|newroot|oldroot/i.test(said)
  ) {
    return 'mount_denied';
  }
  if (/no permissions to creat|operation not permitted|permission denied/i.test(said)) {
    return 'namespace_creation_denied';
  }
  return 'kernel_unsupported';
}

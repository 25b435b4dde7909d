/**
 * A mount plan in bubblewrap's words (bwrap(1)), and as steps of a launch program for the chain without bubblewrap.
 *
 * Never `--dev`: as an unprivileged user it makes bubblewrap add a second user namespace, in which the launch program may not change
 * mounts any more. Devices are bound one by one instead.
 */
import type { Mount, MountPlan } from './mounts.js';
import type { Op } from './program.js';
import { bind, type Call, changeMount, detach, makePoint, mountProc, removeFolder } from './steps.js';
import { isWithin } from './within.js';

export interface DescriptorsForMounts {
  /** A descriptor of a folder, in the child; `undefined` where bubblewrap cannot bind one. Each is used once. */
  held(from: string): number | undefined;
  /** A descriptor that reads the content of a synthetic file. */
  data(content: 'passwd' | 'group'): number;
}

/** The mounts as arguments of bubblewrap. */
export function mountArguments(plan: MountPlan, privateProc: boolean, fds: DescriptorsForMounts): readonly string[] {
  const start = plan.composed ? [] : ['--dev-bind', '/', '/'];
  return [...start, ...plan.mounts.flatMap((mount) => argumentsOf(mount, plan, privateProc, fds))];
}

function argumentsOf(
  mount: Mount,
  plan: MountPlan,
  privateProc: boolean,
  fds: DescriptorsForMounts,
): readonly string[] {
  const { path } = mount;
  switch (mount.kind) {
    case 'bind': {
      const fd = mount.isHeld ? fds.held(mount.from) : undefined;
      const read = mount.access === 'ro' ? '--ro-bind' : '--bind';
      if (fd !== undefined) return [`${read}-fd`, String(fd), path];
      return [mount.required ? read : `${read}-try`, mount.from, path];
    }
    case 'link':
      return ['--symlink', mount.target, path];
    case 'device':
      return ['--dev-bind-try', path, path];
    case 'data':
      // In a root of our own, which becomes read-only, a file will do; on a folder of the host it has to be a mount.
      return [
        '--perms',
        '0644',
        isBelowBind(path, plan) ? '--ro-bind-data' : '--file',
        String(fds.data(mount.content)),
        path,
      ];
    case 'tmpfs':
      return ['--tmpfs', path];
    case 'read-only':
      return ['--remount-ro', path];
    case 'proc':
      if (privateProc) return ['--proc', path];
      return plan.composed ? ['--dir', path] : ['--tmpfs', path, '--remount-ro', path];
  }
}

function isBelowBind(path: string, { mounts }: MountPlan): boolean {
  return mounts.some((mount) => mount.kind === 'bind' && isWithin(path, mount.path));
}

/** What is left to do inside, once bubblewrap has made the mounts. */
export function mountChangeSteps(call: Call, plan: MountPlan): readonly Op[] {
  return [
    ...plan.inner.flatMap(({ from, path, point, required }) => [
      ...(point === undefined ? [] : [makePoint(call, path, point)]),
      bind(call, from, path, required),
    ]),
    ...plan.detach.toReversed().map((path) => detach(call, path)),
    ...plan.remove.map((path) => removeFolder(call, path)),
    ...plan.changes.map((change) => changeMount(call, change)),
  ];
}

/** All of it, for a process in a mount namespace of its own. Only for plans that start from the host's tree. */
export function mountSteps(call: Call, plan: MountPlan, privateProc: boolean): readonly Op[] {
  const binds = plan.mounts.filter((mount) => mount.kind === 'bind');
  const readOnly = binds.filter(({ access }) => access === 'ro');
  return [
    ...(plan.mounts.some(({ kind }) => kind === 'proc') ? [mountProc(call, privateProc)] : []),
    ...binds.map(({ from, path }) => bind(call, from, path)),
    // Only now: a folder bound from below one that is read-only already would be read-only as well.
    ...readOnly.map(({ path }) => changeMount(call, { path, recursive: false, set: ['readonly'] })),
    ...mountChangeSteps(call, plan),
  ];
}

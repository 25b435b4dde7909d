/**
 * The steps of a launch program besides Landlock, each a few system calls. Their order is in box-program.ts and matters: what is set
 * late can refuse what was needed early (spec/containment.md 5.1).
 */
import { readFileSync } from 'node:fs';
import type { Rlimit } from '../resources/index.js';
import { type Argument, type Memory, memory, type Op, reportFd, text, texts } from './program.js';
import { type Architecture, type SyscallName, syscallNumber } from './seccomp/index.js';

/** Makes ops by the name of their call, which is also the name of the step unless `rest` has another. */
export type Call = (name: SyscallName, args: readonly Argument[], rest?: Partial<Omit<Op, 'number'>>) => Op;

/** Ops for one architecture. Throws for a call it does not have. */
export function callsOf(arch: Architecture): Call {
  return (name, args, rest) => {
    const number = syscallNumber(name, arch);
    if (number === undefined) throw new RangeError(`${arch} has no system call ${name}`);
    return { step: name, number, arguments: args, ...rest };
  };
}

const CLONE_NEWUSER = 0x1000_0000;
const CLONE_NEWNET = 0x4000_0000;
/** Where a player finds its program. */
const programFd = reportFd - 1;

/**
 * Into the network of a session, and on to what is started in it: a program of its own, played by the stub in the place of nsenter,
 * which would take as long as everything after it. The launch program of the command comes on descriptor `program`.
 */
export function enterNetwork(
  call: Call,
  { userns, netns }: { readonly userns: number; readonly netns: number },
  program: number,
  line: readonly string[],
): readonly Op[] {
  const rest = { buildsRoot: true };
  return [
    call('setns', [userns, CLONE_NEWUSER], { step: 'entry of the user namespace of the session', ...rest }),
    call('setns', [netns, CLONE_NEWNET], { step: 'entry of the network of the session', ...rest }),
    call('dup3', [program, programFd, 0], { step: 'hand-over of the launch program', ...rest }),
    { ...execute(call, line[0]!, line, {}), ...rest },
  ];
}

/** Joins the cgroup whose `cgroup.procs` is open on `fd`. First of all: nothing may have been forked outside of it. */
export function joinCgroup(call: Call, fd: number): Op {
  return call('write', [fd, memory(Buffer.from('0')), 1], { step: 'join of the cgroup' });
}

const CLOSE_RANGE_CLOEXEC = 4;
const F_SETFD = 2;

/**
 * Everything above 2 ends with the exec, also what leaked into the runtime from whoever started it. 0 to 2 do not: Node, as a
 * player, marks its own.
 */
export function closeDescriptors(call: Call): readonly Op[] {
  return [
    call('close_range', [3, 0xffff_ffff, CLOSE_RANGE_CLOEXEC]),
    ...[0, 1, 2].map((fd) => call('fcntl', [fd, F_SETFD, 0], { step: `fcntl of descriptor ${fd}` })),
  ];
}

/** Into `folder`, in a session of its own: no terminal can be reached, and one signal reaches all of its group. */
export function enter(call: Call, folder: string): readonly Op[] {
  // Refused where the chain has already made it the leader of one.
  return [call('chdir', [text(folder)], { step: `chdir to ${folder}` }), call('setsid', [], { onFailure: 'ignore' })];
}

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/** Ends the process when the thread that started it ends. Only of use where there is no PID namespace. */
export function dieWithParent(call: Call): Op {
  return call('prctl', [PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0], { step: 'prctl(PR_SET_PDEATHSIG)' });
}

const PR_CAPBSET_DROP = 24;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
const LINUX_CAPABILITY_VERSION_3 = 0x2008_0522;

/** No capability now, and none to be had by an exec, as root too. */
export function dropCapabilities(call: Call, last: number): readonly Op[] {
  const header = memory(8);
  new DataView(header.bytes.buffer).setUint32(0, LINUX_CAPABILITY_VERSION_3, true);
  return [
    // EPERM without CAP_SETPCAP, EINVAL for one this kernel does not have. Without no_new_privs that would matter.
    ...Array.from({ length: last + 1 }, (_, capability) =>
      call('prctl', [PR_CAPBSET_DROP, capability, 0, 0, 0], { step: 'prctl(PR_CAPBSET_DROP)', onFailure: 'ignore' }),
    ),
    call('prctl', [PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0], { step: 'prctl(PR_CAP_AMBIENT)' }),
    call('capset', [header, memory(24)]),
  ];
}

/** No exec gives privileges any more: set-user-id bits, file capabilities. Landlock and the filter need it. */
export function noNewPrivileges(call: Call): Op {
  return call('prctl', [PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0], { step: 'prctl(PR_SET_NO_NEW_PRIVS)' });
}

/** The number of the last capability of this kernel. */
export function lastCapability(): number {
  try {
    const number = Number.parseInt(readFileSync('/proc/sys/kernel/cap_last_cap', 'utf8'), 10);
    return number >= 0 && number < 64 ? number : 63;
  } catch {
    return 63;
  }
}

/** asm-generic/resource.h */
const rlimitNumber = { CPU: 0, FSIZE: 1, CORE: 4, NPROC: 6, NOFILE: 7, AS: 9 } as const;

/** Limits of the process. After Landlock, whose rules hold a descriptor each. */
export function setLimits(call: Call, limits: readonly Rlimit[]): readonly Op[] {
  return limits.map(({ name, soft, hard }) => {
    const pair = memory(16);
    const view = new DataView(pair.bytes.buffer);
    view.setBigUint64(0, limitOf(soft), true);
    view.setBigUint64(8, limitOf(hard), true);
    return call('prlimit64', [0, rlimitNumber[name], pair, 0], { step: `prlimit of RLIMIT_${name}` });
  });
}

function limitOf(value: number): bigint {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0xffff_ffff_ffff_ffffn;
}

const SECCOMP_SET_MODE_FILTER = 1;
const SECCOMP_FILTER_FLAG_LOG = 2;

/** Loads the filter. Last before the exec, so that it can refuse what the steps before it needed. */
export function loadFilter(call: Call, filter: Uint8Array): Op {
  const program: Memory = { bytes: new Uint8Array(16), pointers: [{ at: 8, to: memory(filter) }] };
  new DataView(program.bytes.buffer).setUint16(0, filter.length / 8, true);
  return call('seccomp', [SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, program], {
    step: 'load of the syscall filter',
  });
}

/** Becomes the program. */
export function execute(call: Call, path: string, argv: readonly string[], env: Readonly<Record<string, string>>): Op {
  const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return call('execve', [text(path), texts(argv), texts(pairs)], { step: `exec of ${path}` });
}

const AT_FDCWD = -100;
const AT_RECURSIVE = 0x8000;
const mountAttribute = { readonly: 1, nosuid: 2, nodev: 4, noexec: 8 } as const;
const MS_BIND = 0x1000;
const MS_REC = 0x4000;
const MS_NOSUID_NODEV_NOEXEC = 2 | 4 | 8;

/** How a mount is narrowed after it was made. */
export interface MountChange {
  readonly path: string;
  /** Also every mount below it. */
  readonly recursive: boolean;
  readonly set: readonly (keyof typeof mountAttribute)[];
  readonly clear?: readonly (keyof typeof mountAttribute)[];
}

/** `mount_setattr(2)`: adds to the flags of a mount without having to repeat those it has. Linux 5.12. */
export function changeMount(call: Call, { path, recursive, set, clear = [] }: MountChange): Op {
  const attribute = memory(32);
  const view = new DataView(attribute.bytes.buffer);
  const bits = (names: typeof set) => BigInt(names.reduce((sum, name) => sum | mountAttribute[name], 0));
  view.setBigUint64(0, bits(set), true);
  view.setBigUint64(8, bits(clear), true);
  const flags = recursive ? AT_RECURSIVE : 0;
  return call('mount_setattr', [AT_FDCWD, text(path), flags, attribute, attribute.bytes.length], {
    step: `mount_setattr of ${path}`,
    buildsRoot: true,
    // A mount of the host that is noexec itself stays so.
    ...(set.length === 0 ? { onFailure: 'ignore' as const } : {}),
  });
}

/** Makes `from` appear at `to`, with what is mounted below it and with the flags it has. */
export function bind(call: Call, from: string, to: string, required = true): Op {
  return call('mount', [text(from), text(to), 0, MS_BIND | MS_REC, 0], {
    step: `mount of ${to}`,
    buildsRoot: true,
    ...(required ? {} : { onFailure: 'ignore' as const }),
  });
}

const S_IFREG = 0x8000;
const pointMode = { file: 0o444, directory: 0o555 } as const;

/** Something empty to bind over. */
export function makePoint(call: Call, path: string, kind: 'file' | 'directory'): Op {
  const rest = { step: `making of ${path}`, buildsRoot: true };
  return kind === 'directory'
    ? call('mkdirat', [AT_FDCWD, text(path), pointMode.directory], rest)
    : call('mknodat', [AT_FDCWD, text(path), S_IFREG | pointMode.file, 0], rest);
}

const AT_REMOVEDIR = 0x200;

/** Takes an empty folder out of a root that is being made. */
export function removeFolder(call: Call, path: string): Op {
  return call('unlinkat', [AT_FDCWD, text(path), AT_REMOVEDIR], { step: `removal of ${path}`, buildsRoot: true });
}

/** A `/proc` of the command's own processes, or an empty one where a container masks it. */
export function mountProc(call: Call, isPrivate: boolean): Op {
  const type = text(isPrivate ? 'proc' : 'tmpfs');
  return call('mount', [type, text('/proc'), type, MS_NOSUID_NODEV_NOEXEC, 0], {
    step: 'mount of /proc',
    buildsRoot: true,
  });
}

const MNT_DETACH = 2;

/** Takes away what only the player needed. */
export function detach(call: Call, path: string): Op {
  return call('umount2', [text(path), MNT_DETACH], { step: `umount of ${path}`, buildsRoot: true });
}

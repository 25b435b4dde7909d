/**
 * What commands with the same grants share: their mounts, the steps of their launch program, what is on which descriptor, and the way
 * into the network of their session. Made once; a command adds its limits, arguments and variables.
 */
import { closeSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BoxCommand } from './box.js';
import { commandLine } from './box-chain.js';
import type { BoxState } from './box-launch.js';
import { type CommonSteps, commonSteps } from './box-program.js';
import { rulesOf } from './box-rules.js';
import type { PathGrant } from './executables.js';
import { hostFiles, kindOf } from './host-files.js';
import { planMounts } from './mounts.js';
import { namelessFile, type Player } from './player.js';
import { assemble, type Op, reportFd } from './program.js';
import type { ReadOnlyPlace } from './read-only.js';
import type { Architecture } from './seccomp/index.js';
import { callsOf, enterNetwork, lastCapability } from './steps.js';
import { syntheticFiles } from './synthetic.js';
import { isWithin } from './within.js';

/** What a descriptor of the child is: one of ours, or of each command its own. */
export type Slot =
  | number
  /** A pipe to us. */
  | 'pipe'
  /** The launch program, where descriptor 3 holds the one that leads to it. */
  | 'program'
  /** A file that is read to its end, so that every reader needs a descriptor of its own. */
  | { readonly file: number };

export interface Prepared {
  readonly steps: CommonSteps;
  /** What is started, outermost first, up to the player. */
  readonly line: readonly string[];
  /** From the descriptor after the report on. */
  readonly slots: readonly Slot[];
  /** Where bubblewrap says the pid of its first process. */
  readonly infoFd: number | undefined;
  /** What is played before `line`; absent where `line` does it all. */
  readonly entry?: { readonly ops: readonly Op[]; readonly program: number };
  /** Closes what it opened. Idempotent. */
  close(): void;
}

type Extra = NonNullable<BoxCommand['extra']>;

/** What commands with these grants besides the session's share, with the descriptors of `readOnly`. The caller closes it. */
export function prepare(
  state: BoxState & { readonly player: Player },
  extra: Extra,
  readOnly: readonly ReadOnlyPlace[],
): Prepared {
  const own = readOnly.map(({ fd }) => fd);
  const close = (): void => {
    for (const fd of own.splice(0)) closeSync(fd);
  };
  try {
    return { ...make(state, extra, readOnly, own), close };
  } catch (error) {
    close();
    throw error;
  }
}

function make(
  { request, player, hasMounts, isMapped, ownNetwork, nameUntilExec, ...box }: BoxState & { readonly player: Player },
  { stateFolder, executables }: Extra,
  readOnly: readonly ReadOnlyPlace[],
  own: number[],
): Omit<Prepared, 'close'> {
  const { decision, host, folders, policy, cgroup, network } = request;
  const arch = host.arch as Architecture;
  const call = callsOf(arch);
  const isSealed = decision.tier === 'sealed';
  const workdirExec = policy.workdirExecAllowed;
  const state: readonly PathGrant[] =
    stateFolder === undefined ? [] : [{ path: stateFolder, access: 'read-write', list: true, required: true }];
  // What lies where commands write is theirs already, and a command could put a link to elsewhere in its place. An operator can put the
  // runtime folder there, at a class that promises nothing.
  const isFixed = (path: string) =>
    isWithin(path, folders.runtime) || ![folders.work, folders.temp, folders.home].some((own) => isWithin(path, own));
  const grants = [
    ...[...(request.readPaths ?? []), ...request.executables.readable, ...(executables?.readable ?? [])].filter(
      ({ path }) => isFixed(path),
    ),
    ...state,
  ];
  const executable = [...request.executables.executable, ...(executables?.executable ?? [])].filter(isFixed);
  const binaries = [...request.executables.binaries, ...(executables?.binaries ?? [])]
    .map(({ path }) => path)
    .filter(isFixed);
  const plan = hasMounts
    ? planMounts({
        tier: decision.tier,
        folders,
        isTempMapped: isMapped,
        workdirExec,
        noexec: host.noexec,
        grants,
        executable,
        binaries,
        player: player.folders,
        readOnly,
        host: hostFiles,
      })
    : undefined;

  const slots: Slot[] = [];
  const inChild = (slot: Slot): number => reportFd + slots.push(slot);
  const file = (bytes: Uint8Array): number => {
    const fd = namelessFile(bytes, folders.records);
    own.push(fd);
    return fd;
  };
  const cgroupFd = cgroup && inChild(cgroup.procsFd);
  const ownFds = new Map([...box.held, ...box.lent].map(([path, fd]) => [path, inChild(fd)]));
  const held = new Map([...box.held, ...box.lent, ...readOnly.map(({ path, fd }) => [path, fd] as const)]);
  const infoFd = decision.chain === 'bubblewrap' ? inChild('pipe') : undefined;
  const networkFds = network && { userns: inChild(network.usernsFd), netns: inChild(network.netnsFd) };
  // Of Node, as the player, a second start would cost more than nsenter does.
  const isPlayed = networkFds !== undefined && player.kind === 'stub';
  const accounts = isSealed ? syntheticFiles({ ...ownerOf(folders.work), home: folders.home }) : undefined;
  const line = commandLine({
    chain: decision.chain,
    host,
    isSealed,
    plan,
    player,
    setpriv: setprivBeside(host.unshare),
    network: isPlayed ? undefined : networkFds,
    ownNetwork,
    infoFd,
    mounts: {
      held: (from) => (host.bubblewrap?.bindFd && held.has(from) ? inChild(held.get(from)!) : undefined),
      data: (content) => inChild({ file: file(Buffer.from(accounts![content])) }),
    },
  });
  const entryOps = isPlayed ? enterNetwork(call, networkFds, inChild('program'), line) : [];
  const steps = commonSteps(
    {
      arch,
      tier: decision.tier,
      chain: decision.chain,
      cgroupFd,
      plan,
      privateProc: host.privateProc,
      work: folders.work,
      lastCapability: lastCapability(),
      landlockAbi: decision.landlockAbi,
      rules: rulesOf({
        isSealed,
        folders,
        mapsTemp: isMapped,
        workdirExec,
        executable,
        grants,
        fdOf: (path) => ownFds.get(path),
      }),
      kindOf,
      unixSockets: policy.unixSocketsAllowed,
      noInet: decision.noInet,
      nameUntilExec,
    },
    entryOps.length,
  );
  const entry = isPlayed ? { entry: { ops: entryOps, program: file(assemble(entryOps)) } } : {};
  return { steps, line: isPlayed ? [player.file, ...player.args] : line, slots, infoFd, ...entry };
}

function setprivBeside(unshare: string | null): string | undefined {
  const path = unshare === null ? undefined : join(dirname(unshare), 'setpriv');
  return path !== undefined && kindOf(path) === 'file' ? path : undefined;
}

function ownerOf(path: string): { readonly uid: number; readonly gid: number } {
  const { uid, gid } = statSync(path);
  return { uid, gid };
}

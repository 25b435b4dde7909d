/**
 * The box of a session: starts commands in exactly what was decided at staging, and ends them with everything they started. One box
 * per session; namespaces and mounts are per command, so that commands share nothing but the session's folders and its network.
 *
 * Not what is decided (decide.ts) nor what may be executed (executables.ts). Opened and used on the main thread only: a child of a
 * thread would be killed when the thread ends.
 *
 * Does not stop: what an allowed interpreter does inside its own memory; on hosts without namespaces, what box-process.ts and the scope
 * report say.
 *
 * Read next: box-program.ts (the steps inside), box-chain.ts (what is around them), mounts.ts, box-process.ts.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { CapabilityPolicy } from '../policy/index.js';
import {
  type CgroupScope,
  countProcesses,
  inheritedHardLimits,
  type ResolvedResources,
  rlimitsOf,
} from '../resources/index.js';
import { commandLine } from './box-chain.js';
import { startFailure } from './box-errors.js';
import { type BoxedProcess, boxedProcess } from './box-process.js';
import { programOf } from './box-program.js';
import { rulesOf } from './box-rules.js';
import type { ContainmentDecision } from './decide.js';
import type { SessionNetwork } from './egress/index.js';
import type { Executables, PathGrant } from './executables.js';
import type { HostReport } from './host.js';
import { hostFiles, kindOf } from './host-files.js';
import { mapsTemp, planMounts, type SessionFolders } from './mounts.js';
import { koffiPlayer, namelessFile, type Player, writtenStub } from './player.js';
import { assemble, ProgramTooLargeError } from './program.js';
import { isSupported } from './seccomp/index.js';
import { lastCapability } from './steps.js';
import { syntheticFiles } from './synthetic.js';

export { StartFailure } from './box-errors.js';
export type { BoxedProcess, Ending } from './box-process.js';
export { mapsTemp, type SessionFolders } from './mounts.js';

export interface BoxRequest {
  readonly host: HostReport;
  readonly decision: ContainmentDecision;
  /** All there, and not links. */
  readonly folders: SessionFolders;
  readonly policy: Pick<CapabilityPolicy, 'unixSocketsAllowed' | 'workdirExecAllowed'>;
  readonly resources: ResolvedResources;
  readonly cgroup?: CgroupScope;
  /** Without one, a command has a network of its own that leads nowhere, where the host can make one. */
  readonly network?: Pick<SessionNetwork, 'usernsFd' | 'netnsFd'>;
  readonly executables: Pick<Executables, 'binaries' | 'executable' | 'readable'>;
  /** Interpreter folders, trust store, host_paths, staged runtimes. */
  readonly readPaths?: readonly PathGrant[];
}

export interface BoxCommand {
  /** Absolute, links followed. */
  readonly path: string;
  readonly argv0: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** What one native tool has besides. */
  readonly extra?: {
    readonly stateFolder?: string;
    readonly executables?: Pick<Executables, 'binaries' | 'executable' | 'readable'>;
  };
}

export interface Box {
  /** Where a command finds its temporary folder: for `TMPDIR`. */
  readonly tempPath: string;
  /**
   * Starts a command and resolves when it runs. Throws `StartFailure` when it cannot be contained as decided, or `E-RUN-014` when that
   * goes for every further command; then no process is left.
   */
  start(command: BoxCommand): Promise<BoxedProcess>;
  /** Kills what runs and gives everything back. */
  close(): Promise<void>;
}

/** Opens the box of a session. Throws `StartFailure` when one of its folders cannot be opened as a folder. */
export async function openBox(request: BoxRequest): Promise<Box> {
  const { decision, host, folders } = request;
  const player = await playerOf(request);
  const hasMounts = player !== undefined && (decision.chain === 'bubblewrap' || decision.chain === 'unshare');
  const isMapped = mapsTemp(decision.tier, hasMounts, folders);
  const held = new Map<string, number>();
  const running = new Set<BoxedProcess>();
  const giveBack = () => {
    for (const fd of held.values()) closeSync(fd);
    held.clear();
    if (player?.kind === 'stub') rmSync(player.file, { force: true });
  };
  try {
    if (hasMounts) for (const path of [folders.work, folders.temp, folders.home]) held.set(path, openFolder(path));
  } catch (error) {
    giveBack();
    throw error;
  }
  const inheritedHard = await inheritedHardLimits();
  const ownNetwork = decision.tier !== 'none' && request.network === undefined && !decision.noInet;
  let isClosed = false;

  const start = async (command: BoxCommand): Promise<BoxedProcess> => {
    if (isClosed) throw startFailure('start of a command', 'the session has ended', false);
    const ownUserNamespace = hasMounts || request.network !== undefined || ownNetwork;
    const countsAll = ownUserNamespace || request.cgroup !== undefined || request.resources.maxProcesses === undefined;
    const limits = rlimitsOf(request.resources, {
      inheritedHard,
      hasPidsScope: request.cgroup !== undefined,
      ownUserNamespace,
      baseline: countsAll ? 0 : await countProcesses(host.uid),
    });
    const process_ = await launch({ request, command, player, hasMounts, isMapped, ownNetwork, held, limits });
    running.add(process_);
    void process_.ended.then(() => running.delete(process_));
    if (isClosed) await process_.kill();
    return process_;
  };
  return {
    tempPath: isMapped ? '/tmp' : folders.temp,
    start,
    close: async () => {
      isClosed = true;
      await Promise.all([...running].map((each) => each.kill()));
      giveBack();
    },
  };
}

interface Launch {
  readonly request: BoxRequest;
  readonly command: BoxCommand;
  readonly player: Player | undefined;
  readonly hasMounts: boolean;
  readonly isMapped: boolean;
  /** Whether each command gets an empty network: nobody made one for the session, and the filter allows internet sockets. */
  readonly ownNetwork: boolean;
  readonly held: ReadonlyMap<string, number>;
  readonly limits: ReturnType<typeof rlimitsOf>;
}

/** Descriptors of a child that are always the same; the player knows the first two. */
const firstExtraFd = 5;

async function launch(asked: Launch): Promise<BoxedProcess> {
  const { request, command, player } = asked;
  const { decision, host, folders } = request;
  const isSealed = decision.tier === 'sealed';
  const own: number[] = [];
  const file = (bytes: Uint8Array): number => {
    const fd = namelessFile(bytes, folders.records);
    own.push(fd);
    return fd;
  };
  try {
    const stdin = command.stdin === undefined ? 'ignore' : file(command.stdin);
    if (player === undefined) return await plain(command, folders.work, stdin);
    const extra: (number | 'pipe')[] = [];
    const inChild = (fd: number | 'pipe'): number => firstExtraFd + extra.push(fd) - 1;
    const network = request.network && {
      userns: inChild(request.network.usernsFd),
      netns: inChild(request.network.netnsFd),
    };
    const infoFd = decision.chain === 'bubblewrap' ? inChild('pipe') : undefined;
    const cgroupFd = request.cgroup && inChild(request.cgroup.procsFd);
    const grants = grantsOf(asked);
    const executable = [...request.executables.executable, ...(command.extra?.executables?.executable ?? [])];
    const plan = asked.hasMounts ? planOf(asked, grants, executable) : undefined;
    const nameUntilExec = decision.chain === 'unshare' ? randomBytes(7).toString('hex') : undefined;
    const ops = programOf({
      arch: host.arch as 'x64' | 'arm64',
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
        mapsTemp: asked.isMapped,
        workdirExec: request.policy.workdirExecAllowed,
        executable,
        grants,
      }),
      kindOf,
      limits: asked.limits,
      unixSockets: request.policy.unixSocketsAllowed,
      noInet: decision.noInet,
      nameUntilExec,
      command: { path: command.path, argv: [command.argv0, ...command.args], env: command.env },
    });
    const accounts = isSealed ? syntheticFiles({ ...ownerOf(folders.work), home: folders.home }) : undefined;
    const [name, ...args] = commandLine({
      chain: decision.chain,
      host,
      isSealed,
      plan,
      player,
      network,
      ownNetwork: asked.ownNetwork,
      infoFd,
      mounts: {
        held: (from) => (host.bubblewrap?.bindFd ? mapped(asked.held.get(from), inChild) : undefined),
        data: (content) => inChild(file(Buffer.from(accounts![content]))),
      },
    });
    const child = spawn(name!, args, {
      cwd: folders.work,
      env: {},
      detached: true,
      stdio: [stdin, 'pipe', 'pipe', file(assemble(ops)), 'pipe', ...extra],
    });
    const at = (fd: number | undefined) => (fd === undefined ? undefined : (child.stdio[fd] as Readable));
    return await boxedProcess({
      child,
      chain: decision.chain,
      ops,
      report: at(4),
      info: at(infoFd),
      nameUntilExec,
      isSealed,
    });
  } catch (error) {
    if (error instanceof ProgramTooLargeError) throw startFailure(`exec of ${command.path}`, error.message, false);
    throw error;
  } finally {
    for (const fd of own) closeSync(fd);
  }
}

/** Without a launcher: this host has nothing that could confine a command, and the scope report says so. */
async function plain(command: BoxCommand, cwd: string, stdin: number | 'ignore'): Promise<BoxedProcess> {
  const { path, argv0, args, env } = command;
  const child = spawn(path, args, { argv0, cwd, env: { ...env }, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
  const nothing = { ops: undefined, report: undefined, info: undefined, nameUntilExec: undefined };
  return await boxedProcess({ child, chain: 'plain', ...nothing, isSealed: false });
}

async function playerOf({ host, decision, folders }: BoxRequest): Promise<Player | undefined> {
  if (host.platform !== 'linux' || host.launcher === null || !isSupported(host.arch)) {
    if (decision.chain === 'plain') return undefined;
    throw startFailure(decision.chain, 'this host has nothing to play a launch program with', false);
  }
  const places = [folders.records, ...(host.stubFolder === null ? [] : [host.stubFolder])];
  const player = host.launcher === 'stub' ? await writtenStub(places, host.arch) : koffiPlayer();
  if (player === undefined) {
    const why =
      host.launcher === 'stub' ? `no program can be executed in ${places.join(' or ')}` : 'koffi is not installed';
    throw startFailure(decision.chain, why, false);
  }
  return player;
}

function grantsOf({ request, command }: Launch): readonly PathGrant[] {
  const { stateFolder, executables } = command.extra ?? {};
  return [
    ...(request.readPaths ?? []),
    ...request.executables.readable,
    ...(executables?.readable ?? []),
    ...(stateFolder === undefined
      ? []
      : [{ path: stateFolder, access: 'read-write' as const, list: true, required: true }]),
  ];
}

function planOf({ request, command, player }: Launch, grants: readonly PathGrant[], executable: readonly string[]) {
  return planMounts({
    tier: request.decision.tier,
    folders: request.folders,
    workdirExec: request.policy.workdirExecAllowed,
    noexec: request.host.noexec,
    grants,
    executable,
    binaries: [...request.executables.binaries, ...(command.extra?.executables?.binaries ?? [])].map(
      ({ path }) => path,
    ),
    player: player!.folders,
    host: hostFiles,
  });
}

function openFolder(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    throw startFailure(`open of ${path}`, -((error as NodeJS.ErrnoException).errno ?? 0), false);
  }
}

function ownerOf(path: string): { readonly uid: number; readonly gid: number } {
  const { uid, gid } = statSync(path);
  return { uid, gid };
}

function mapped(fd: number | undefined, to: (fd: number) => number): number | undefined {
  return fd === undefined ? undefined : to(fd);
}

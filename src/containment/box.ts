/**
 * The box of a session: starts commands in exactly what was decided at staging, and ends them with everything they started. One box
 * per session; namespaces and mounts are per command, so that commands share nothing but the session's folders and its network.
 *
 * Not what is decided (decide.ts) nor what may be executed (executables.ts). Opened and used on the main thread only: a child of a
 * thread would be killed when the thread ends.
 *
 * Does not stop: what an allowed interpreter does inside its own memory; one command of a session from reaching another over its network,
 * at a port above 1023 that no rule names. On hosts without namespaces, besides what box-process.ts and the scope report say: changes of
 * the mode, the times and the attributes of files the user owns (landlock.ts), and System V memory, queues and semaphores of that user.
 *
 * Read next: box-launch.ts, box-prepare.ts (what commands share), box-program.ts (the steps inside), box-chain.ts (what is around them),
 * mounts.ts, box-process.ts.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, rmSync } from 'node:fs';
import type { CapabilityPolicy } from '../policy/index.js';
import {
  type CgroupScope,
  countProcesses,
  inheritedHardLimits,
  type ResolvedResources,
  rlimitsOf,
} from '../resources/index.js';
import { StartFailure, scriptProblem, startFailure } from './box-errors.js';
import { type BoxState, launch, replacedWords } from './box-launch.js';
import type { BoxedProcess } from './box-process.js';
import type { ContainmentDecision } from './decide.js';
import type { SessionNetwork } from './egress/index.js';
import type { Executables, PathGrant } from './executables.js';
import type { HostReport } from './host.js';
import { O_PATH } from './host-files.js';
import { mapsTemp, type SessionFolders, shownPaths } from './mounts.js';
import { koffiPlayer, type Player, writtenStub } from './player.js';
import { noReadOnlyMounts, settledReadOnly } from './read-only.js';
import { isSupported } from './seccomp/index.js';

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
  /** What of them lies in a folder that commands write to is passed over, as it is of `readPaths`. */
  readonly executables: Pick<Executables, 'binaries' | 'executable' | 'readable'>;
  /** Interpreter folders, trust store, host_paths, staged runtimes. */
  readonly readPaths?: readonly PathGrant[];
  /** `capabilities.filesystem.read_only`: relative to the work folder. */
  readonly readOnly?: readonly string[];
}

export interface BoxCommand {
  /** Absolute, links followed. */
  readonly path: string;
  readonly argv0: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /**
   * It reads and writes the standard streams of the runtime, a terminal among them, instead of `stdin` and pipes. What they lead to is
   * granted by handing them over: no kernel rule asks about a descriptor that is open already.
   */
  readonly inherits?: true;
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

/**
 * Opens the box of a session. Throws `StartFailure` when one of its folders cannot be opened as a folder, or a folder that was granted
 * is another by now.
 */
export async function openBox(request: BoxRequest): Promise<Box> {
  const { decision, host, folders } = request;
  const player = await playerOf(request);
  const hasMounts = player !== undefined && (decision.chain === 'bubblewrap' || decision.chain === 'unshare');
  const { executable, readable } = request.executables;
  const grants = [...(request.readPaths ?? []), ...readable];
  const shown = shownPaths({ grants, executable, player: player?.folders ?? [] });
  const isMapped = mapsTemp(decision.tier, hasMounts, folders, shown);
  const held = new Map<string, number>();
  const lent = new Map<string, number>();
  const starting = new Set<Promise<BoxedProcess>>();
  const running = new Set<BoxedProcess>();
  const ownNetwork = decision.tier !== 'none' && request.network === undefined && !decision.noInet;
  const nameUntilExec = decision.chain === 'unshare' ? randomBytes(7).toString('hex') : undefined;
  const state: BoxState = { request, readOnly: [], player, hasMounts, isMapped, ownNetwork, held, lent, nameUntilExec };
  const giveBack = () => {
    for (const fd of [...held.values(), ...lent.values()]) closeSync(fd);
    held.clear();
    lent.clear();
    state.prepared?.close();
    if (player?.kind === 'stub') rmSync(player.file, { force: true });
  };
  try {
    if (player !== undefined) {
      for (const path of [folders.work, folders.temp, folders.home]) held.set(path, openFolder(path));
    }
    if (player !== undefined) for (const grant of request.readPaths ?? []) holdGranted(grant, lent);
    state.readOnly = settled(request, held);
  } catch (error) {
    giveBack();
    throw error;
  }
  const inheritedHard = await inheritedHardLimits();
  let isClosed = false;

  const limitsNow = async () => {
    const ownUserNamespace = hasMounts || request.network !== undefined || ownNetwork;
    const countsAll = ownUserNamespace || request.cgroup !== undefined || request.resources.maxProcesses === undefined;
    return rlimitsOf(request.resources, {
      inheritedHard,
      hasPidsScope: request.cgroup !== undefined,
      ownUserNamespace,
      baseline: countsAll ? 0 : await countProcesses(host.uid),
    });
  };
  const startNow = async (command: BoxCommand): Promise<BoxedProcess> => {
    const started = await launch(state, command, await limitsNow()).catch((error: unknown) => {
      throw explained(error, command, request.executables);
    });
    running.add(started);
    void started.ended.then(() => running.delete(started));
    return started;
  };
  const start = async (command: BoxCommand): Promise<BoxedProcess> => {
    if (isClosed) throw startFailure('start of a command', 'the session has ended', false);
    const pending = startNow(command);
    starting.add(pending);
    try {
      return await pending;
    } finally {
      starting.delete(pending);
    }
  };
  return {
    tempPath: isMapped ? '/tmp' : folders.temp,
    start,
    close: async () => {
      isClosed = true;
      await Promise.allSettled(starting);
      await Promise.all([...running].map((each) => each.kill()));
      giveBack();
    },
  };
}

/** What the kernel calls a refusal, or a file that is not there, is an interpreter that is not allowed when the program is a script. */
function explained(error: unknown, { path }: BoxCommand, { binaries }: BoxRequest['executables']): unknown {
  if (!(error instanceof StartFailure) || error.step !== `exec of ${path}`) return error;
  const problem = binaries.map((each) => (each.path === path ? scriptProblem(each) : undefined)).find(Boolean);
  return problem === undefined ? error : new StartFailure(error.step, problem);
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

function settled({ readOnly = [], decision, host, folders }: BoxRequest, held: ReadonlyMap<string, number>) {
  const work = held.get(folders.work);
  if (work === undefined || readOnly.length === 0 || noReadOnlyMounts(decision, host) !== undefined) return [];
  return settledReadOnly(work, folders.work, readOnly);
}

/** Before anybody can replace it, and never through a link. */
function holdGranted({ path, identity }: PathGrant, lent: Map<string, number>): void {
  if (identity === undefined || lent.has(path)) return;
  const fd = openFolder(path, O_PATH);
  lent.set(path, fd);
  const { dev, ino } = fstatSync(fd, { bigint: true });
  if (dev !== identity.dev || ino !== identity.ino) throw startFailure(`open of ${path}`, replacedWords, false);
}

function openFolder(path: string, mode = constants.O_RDONLY): number {
  try {
    return openSync(path, mode | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    throw startFailure(`open of ${path}`, -((error as NodeJS.ErrnoException).errno ?? 0), false);
  }
}

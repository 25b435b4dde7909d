/**
 * The start of one command: descriptors, mounts and steps of its session put together, and a process made of them.
 */
import { spawn } from 'node:child_process';
import { closeSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isMurError, reasonOf } from '../errors/index.js';
import type { Rlimit } from '../resources/index.js';
import type { BoxCommand, BoxRequest } from './box.js';
import { commandLine } from './box-chain.js';
import { StartFailure, startFailure } from './box-errors.js';
import { type BoxedProcess, boxedProcess } from './box-process.js';
import { type CommonSteps, commonSteps, programOf } from './box-program.js';
import { rulesOf } from './box-rules.js';
import type { PathGrant } from './executables.js';
import { hostFiles, kindOf } from './host-files.js';
import { type MountPlan, planMounts } from './mounts.js';
import { namelessFile, type Player } from './player.js';
import { assemble, reportFd } from './program.js';
import { lastCapability } from './steps.js';
import { syntheticFiles } from './synthetic.js';

/** What all commands of a box share. */
export interface BoxState {
  readonly request: BoxRequest;
  /** `undefined`: there is none here, and nothing is contained. */
  readonly player: Player | undefined;
  readonly hasMounts: boolean;
  /** Whether the temp folder is `/tmp`. */
  readonly isMapped: boolean;
  /** Whether each command gets an empty network: nobody made one for the session, and the filter allows internet sockets. */
  readonly ownNetwork: boolean;
  /** Descriptors of the folders a capsule writes to. */
  readonly held: ReadonlyMap<string, number>;
  readonly nameUntilExec: string | undefined;
  /** Of commands without anything besides; made at the first. */
  prepared?: Prepared;
}

interface Prepared {
  readonly plan: MountPlan | undefined;
  readonly steps: CommonSteps;
}

/** Descriptors of the child from here on are the chain's; the program and its report come before (program.ts). */
const firstExtraFd = reportFd + 1;

/** Starts a command and resolves when it runs. */
export async function launch(state: BoxState, command: BoxCommand, limits: readonly Rlimit[]): Promise<BoxedProcess> {
  const own: number[] = [];
  const file = (bytes: Uint8Array): number => {
    const fd = namelessFile(bytes, state.request.folders.records);
    own.push(fd);
    return fd;
  };
  try {
    const stdin = command.stdin === undefined ? 'ignore' : file(command.stdin);
    const { player } = state;
    if (player === undefined) return await plain(command, state.request.folders.work, stdin);
    return await contained({ ...state, player }, command, limits, stdin, file, preparedFor(state, command));
  } catch (error) {
    if (error instanceof StartFailure || isMurError(error)) throw error;
    throw startFailure(`start of ${command.path}`, reasonOf(error), false);
  } finally {
    for (const fd of own) closeSync(fd);
  }
}

async function contained(
  { request, player, ownNetwork, held, nameUntilExec }: BoxState & { readonly player: Player },
  command: BoxCommand,
  limits: readonly Rlimit[],
  stdin: number | 'ignore',
  file: (bytes: Uint8Array) => number,
  { plan, steps }: Prepared,
): Promise<BoxedProcess> {
  const { decision, host, folders, network, cgroup } = request;
  const isSealed = decision.tier === 'sealed';
  const extra: (number | 'pipe')[] = cgroup === undefined ? [] : [cgroup.procsFd];
  const inChild = (fd: number | 'pipe'): number => firstExtraFd + extra.push(fd) - 1;
  const infoFd = decision.chain === 'bubblewrap' ? inChild('pipe') : undefined;
  const ops = programOf(steps, limits, {
    path: command.path,
    argv: [command.argv0, ...command.args],
    env: command.env,
  });
  const accounts = isSealed ? syntheticFiles({ ...ownerOf(folders.work), home: folders.home }) : undefined;
  const [name, ...args] = commandLine({
    chain: decision.chain,
    host,
    isSealed,
    plan,
    player,
    setpriv: setprivBeside(host.unshare),
    network: network && { userns: inChild(network.usernsFd), netns: inChild(network.netnsFd) },
    ownNetwork,
    infoFd,
    mounts: {
      held: (from) => (host.bubblewrap?.bindFd && held.has(from) ? inChild(held.get(from)!) : undefined),
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
  const { chain } = decision;
  return await boxedProcess({ child, chain, ops, report: at(4), info: at(infoFd), nameUntilExec, isSealed });
}

/** Without a launcher: this host has nothing that could confine a command, and the scope report says so. */
async function plain(command: BoxCommand, cwd: string, stdin: number | 'ignore'): Promise<BoxedProcess> {
  const { path, argv0, args, env } = command;
  const child = spawn(path, args, { argv0, cwd, env: { ...env }, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
  const nothing = { ops: undefined, report: undefined, info: undefined, nameUntilExec: undefined };
  return await boxedProcess({ child, chain: 'plain', ...nothing, isSealed: false });
}

function preparedFor(state: BoxState, command: BoxCommand): Prepared {
  if (command.extra !== undefined) return prepare(state, command.extra);
  state.prepared ??= prepare(state, {});
  return state.prepared;
}

function prepare(
  { request, player, hasMounts, isMapped, nameUntilExec }: BoxState,
  { stateFolder, executables }: NonNullable<BoxCommand['extra']>,
): Prepared {
  const { decision, host, folders, policy, cgroup } = request;
  const workdirExec = policy.workdirExecAllowed;
  const state: readonly PathGrant[] =
    stateFolder === undefined ? [] : [{ path: stateFolder, access: 'read-write', list: true, required: true }];
  const grants = [
    ...(request.readPaths ?? []),
    ...request.executables.readable,
    ...(executables?.readable ?? []),
    ...state,
  ];
  const executable = [...request.executables.executable, ...(executables?.executable ?? [])];
  const binaries = [...request.executables.binaries, ...(executables?.binaries ?? [])].map(({ path }) => path);
  const plan = hasMounts
    ? planMounts({
        tier: decision.tier,
        folders,
        workdirExec,
        noexec: host.noexec,
        grants,
        executable,
        binaries,
        player: player!.folders,
        host: hostFiles,
      })
    : undefined;
  const steps = commonSteps({
    arch: host.arch as CommonSteps['arch'],
    tier: decision.tier,
    chain: decision.chain,
    cgroupFd: cgroup && firstExtraFd,
    plan,
    privateProc: host.privateProc,
    work: folders.work,
    lastCapability: lastCapability(),
    landlockAbi: decision.landlockAbi,
    rules: rulesOf({
      isSealed: decision.tier === 'sealed',
      folders,
      mapsTemp: isMapped,
      workdirExec,
      executable,
      grants,
    }),
    kindOf,
    unixSockets: policy.unixSocketsAllowed,
    noInet: decision.noInet,
    nameUntilExec,
  });
  return { plan, steps };
}

function setprivBeside(unshare: string | null): string | undefined {
  const path = unshare === null ? undefined : join(dirname(unshare), 'setpriv');
  return path !== undefined && kindOf(path) === 'file' ? path : undefined;
}

function ownerOf(path: string): { readonly uid: number; readonly gid: number } {
  const { uid, gid } = statSync(path);
  return { uid, gid };
}

/**
 * The launch program of one command: the steps of spec/containment.md 5.1 in their order.
 */
import type { Rlimit } from '../resources/index.js';
import type { Chain } from './host.js';
import { type LandlockRule, landlockSteps } from './landlock.js';
import { mountChangeSteps, mountSteps } from './mount-arguments.js';
import type { MountPlan } from './mounts.js';
import { type Beginning, begin, type Op, startOp, text } from './program.js';
import { type Architecture, seccompFilter, syscallNumber } from './seccomp/index.js';
import {
  callsOf,
  closeDescriptors,
  dieWithParent,
  dropCapabilities,
  enter,
  execute,
  joinCgroup,
  loadFilter,
  noNewPrivileges,
  setLimits,
} from './steps.js';
import type { Tier } from './tier.js';

export interface StepsAsked {
  readonly arch: Architecture;
  readonly tier: Tier;
  readonly chain: Chain;
  readonly cgroupFd: number | undefined;
  readonly plan: MountPlan | undefined;
  readonly privateProc: boolean;
  readonly work: string;
  readonly lastCapability: number;
  /** null: no Landlock here. */
  readonly landlockAbi: number | null;
  readonly rules: readonly LandlockRule[];
  readonly kindOf: (path: string) => 'file' | 'directory' | undefined;
  readonly unixSockets: boolean;
  readonly noInet: boolean;
  /** A name the process has until the exec, where the report cannot tell that it happened. */
  readonly nameUntilExec: string | undefined;
}

/** What all commands with the same grants have in common. Making it costs more than starting a program does. */
export interface CommonSteps {
  readonly arch: Architecture;
  /** Before the limits. */
  readonly head: Beginning;
  /** After them. */
  readonly tail: readonly Op[];
}

export interface Command {
  readonly path: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const PR_SET_NAME = 15;

/** One of each kind (`RlimitName`). */
const limitsMax = 6;

/** The steps around the limits. `firstIndex`: how many ops of another program come before in reports. */
export function commonSteps(asked: StepsAsked, firstIndex: number): CommonSteps {
  const { arch, tier, chain, plan } = asked;
  const call = callsOf(arch);
  const isConfined = tier !== 'none';
  const mounts =
    plan === undefined
      ? []
      : chain === 'unshare'
        ? mountSteps(call, plan, asked.privateProc)
        : mountChangeSteps(call, plan);
  const head = [
    ...(asked.cgroupFd === undefined ? [] : [joinCgroup(call, asked.cgroupFd)]),
    ...(asked.nameUntilExec === undefined ? [] : [call('prctl', [PR_SET_NAME, text(asked.nameUntilExec), 0, 0, 0])]),
    startOp(syscallNumber('write', arch)!),
    ...closeDescriptors(call),
    ...mounts,
    ...enter(call, asked.work),
    ...(chain === 'stub' || chain === 'plain' ? [dieWithParent(call)] : []),
    ...(isConfined ? [...dropCapabilities(call, asked.lastCapability), noNewPrivileges(call)] : []),
    ...(asked.landlockAbi !== null && (tier === 'full' || tier === 'sealed')
      ? landlockSteps(call, asked.landlockAbi, asked.rules, asked.kindOf)
      : []),
  ];
  const tail = isConfined ? [loadFilter(call, seccompFilter(asked))] : [];
  return { arch, head: begin(head, limitsMax + tail.length + 1, firstIndex), tail };
}

/** What follows the head in the program of one command. */
export function restOf({ arch, tail }: CommonSteps, limits: readonly Rlimit[], command: Command): readonly Op[] {
  const call = callsOf(arch);
  return [...setLimits(call, limits), ...tail, execute(call, command.path, command.argv, command.env)];
}

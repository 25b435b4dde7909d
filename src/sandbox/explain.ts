import type { ContainmentDecision } from '../containment/decide.js';
import type { Binary, PathGrant } from '../containment/executables.js';
import type { HostReport } from '../containment/host.js';
import { sessionResources } from '../resources/limits.js';
import { type ScopeReport, scopeReport } from '../scope/index.js';
import { allowProblem } from '../shell/command-line.js';
import { baselineNames, defaultVariables } from '../shell/environment.js';
import { hostFor, reachOf } from '../stage/containment.js';
import { withMeasuredLimits } from '../stage/limits.js';
import type { Prepared, SandboxRequest } from './prepare.js';

/** What is held, by what, and what is not. */
export interface HeldThing {
  readonly what: 'files' | 'programs' | 'network' | 'system calls' | 'processes' | 'limits';
  readonly strength: 'full' | 'partial' | 'none';
  /** What holds it, or why nothing does; what is missing where it is partial. */
  readonly detail: string;
}

export interface ProgramRow {
  readonly name: string;
  /** null: there is none of that name on PATH. */
  readonly path: string | null;
  /** Interpreters of a script that the box does not have, so that it does not start. */
  readonly missing: readonly string[];
}

/** What a box gives. `mur sandbox --explain --json` prints it as it is. */
export interface SandboxExplanation {
  /** null: the box was made of flags. */
  readonly manifest: string | null;
  readonly command: { readonly name: string; readonly path: string | null; readonly refused: string | null } | null;
  readonly held: readonly HeldThing[];
  readonly folders: readonly { readonly path: string; readonly access: 'read-write' | 'read'; readonly what: string }[];
  /** Besides what programs need to start. */
  readonly reads: readonly string[];
  readonly programs: readonly ProgramRow[];
  readonly network: { readonly allow: readonly string[]; readonly unix_sockets: boolean };
  readonly environment: {
    /** Variables of this environment that it gets, when they are set and no credentials. */
    readonly passed: readonly string[];
    /** Set for its programs, besides HOME, TMPDIR and `MURMUR_*`. */
    readonly set: Readonly<Record<string, string>>;
  };
  /** By the names of `capabilities.resources`. */
  readonly limits: Readonly<Record<string, number>>;
  /** The report of a session with this box (`mur run --explain-scope --json`). */
  readonly scope: ScopeReport;
}

/** What the box would give, without making it. A floor that is not met is reported, not refused. */
export async function explainBox(prepared: Prepared, request: SandboxRequest): Promise<SandboxExplanation> {
  const { asked } = prepared;
  const { policy, folders } = asked;
  const host = await hostFor(asked);
  const reach = await reachOf(asked, host);
  const { decision, programs } = reach;
  const binaries = programs?.executables.binaries ?? [];
  const { temp_dir: temp, ...report } = scopeReport(await withMeasuredLimits(asked, reach));
  const { command } = request;
  return {
    manifest: request.manifestPath ?? null,
    command:
      command === undefined
        ? null
        : {
            name: command.name,
            path: binaries.find((binary) => binary.first && binary.name === command.name)?.path ?? null,
            refused: allowProblem(command.name, policy.shellAllow) ?? null,
          },
    held: heldBy(decision, host, asked),
    folders: [
      {
        path: folders.work,
        access: 'read-write',
        what: `work folder${folders.isWorkMade ? ', made empty and removed' : ''}`,
      },
      { path: temp.maps_tmp ? '/tmp' : temp.path, access: 'read-write', what: 'TMPDIR, removed' },
      { path: `${folders.records}/home`, access: 'read-write', what: 'HOME, removed' },
      ...(programs?.hostPaths ?? []).map(({ path, access }) => ({ path, access, what: 'lent' })),
    ],
    reads: [...new Set((programs?.executables.readable ?? []).filter(isFolder).map(({ path }) => path))],
    programs: policy.shellAllow.map((name) => programRow(name, binaries)),
    network: { allow: policy.networkAllow, unix_sockets: policy.unixSocketsAllowed },
    environment: {
      passed: [...new Set([...baselineNames, ...policy.shellBaselineEnv])],
      set: Object.fromEntries(defaultVariables(decision.tier)),
    },
    limits: limitsOf(prepared),
    scope: { ...report, temp_dir: temp },
  };
}

function isFolder({ list }: PathGrant): boolean {
  return list;
}

function programRow(name: string, binaries: readonly Binary[]): ProgramRow {
  const found = binaries.find((binary) => binary.first && binary.name === name);
  return { name, path: found?.path ?? null, missing: found?.missing ?? [] };
}

function limitsOf({ asked: { policy, floor } }: Prepared): Readonly<Record<string, number>> {
  const { noCore: _, ...resources } = sessionResources(policy, floor);
  const entries = Object.entries(resources).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return Object.fromEntries(
    entries
      .filter(([field]) => field !== 'workdirMaxBytes')
      .map(([field, value]) => [field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );
}

function heldBy(
  decision: ContainmentDecision,
  host: HostReport | undefined,
  { policy }: Prepared['asked'],
): readonly HeldThing[] {
  const { tier, chain, noexec } = decision;
  const none = decision.noTierBecause ?? 'the class is unconfined: nothing is asked of the kernel';
  const hasLandlock = tier === 'full' || tier === 'sealed';
  const nothing = tier === 'none' ? none : 'this host has no Landlock';
  const hasNamespaces = chain === 'bubblewrap' || chain === 'unshare';
  return [
    hasLandlock
      ? {
          what: 'files',
          strength: tier === 'sealed' ? 'full' : 'partial',
          detail:
            tier === 'sealed' ? 'a root of its own, and Landlock' : 'Landlock; names, sizes and times stay visible',
        }
      : { what: 'files', strength: 'none', detail: nothing },
    hasLandlock
      ? programsHeld(policy.workdirExecAllowed, noexec === true)
      : { what: 'programs', strength: 'none', detail: nothing },
    networkHeld(decision, policy, none),
    tier === 'none'
      ? { what: 'system calls', strength: 'none', detail: none }
      : { what: 'system calls', strength: 'full', detail: 'a list of those that are allowed (seccomp)' },
    hasNamespaces
      ? { what: 'processes', strength: 'full', detail: 'see one another only, and end with the command' }
      : { what: 'processes', strength: 'partial', detail: 'without namespaces, one that leaves its group stays' },
    limitsHeld(host, chain === 'plain'),
  ];
}

function programsHeld(workdirExec: boolean, noexec: boolean): HeldThing {
  const what = 'programs';
  if (workdirExec) {
    return {
      what,
      strength: 'partial',
      detail: 'Landlock; but whatever is written to the work folder may run (workdir_exec)',
    };
  }
  if (noexec) return { what, strength: 'full', detail: 'Landlock, and folders that are written to are mounted noexec' };
  return {
    what,
    strength: 'partial',
    detail: 'Landlock; but the loader can run a program that was written to a folder',
  };
}

function networkHeld(
  { tier, noInet }: ContainmentDecision,
  { networkAllow, unixSocketsAllowed }: Prepared['asked']['policy'],
  none: string,
): HeldThing {
  const what = 'network';
  if (tier === 'none') return { what, strength: 'none', detail: none };
  const detail = noInet
    ? 'internet sockets are refused (seccomp)'
    : networkAllow.length === 0
      ? 'a network that leads nowhere'
      : 'a network that leads to the allowed hosts';
  // A path is enough to connect to one: Landlock does not ask.
  if (unixSocketsAllowed && tier !== 'sealed') {
    return { what, strength: 'partial', detail: `${detail}; but unix sockets of this machine can be connected to` };
  }
  return { what, strength: 'full', detail };
}

function limitsHeld(host: HostReport | undefined, isPlain: boolean): HeldThing {
  const what = 'limits';
  if (isPlain) return { what, strength: 'none', detail: 'nothing sets them here' };
  const cgroup = host?.mechanisms.find(({ name }) => name === 'cgroup');
  if (cgroup?.strength === 'full') return { what, strength: 'full', detail: 'rlimits and a cgroup' };
  const root = host?.uid === 0 ? '; and not max_processes, from which the kernel exempts root' : '';
  return { what, strength: 'partial', detail: `rlimits; not cgroup_*: ${cgroup?.detail ?? 'no cgroup'}${root}` };
}

import { MurError } from '../errors/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import { isShim, shimHint } from './box-errors.js';
import type { ContainmentDecision } from './decide.js';
import type { HostReport } from './host.js';

/** A script of `shell.allow` whose packages nothing in the composed root reaches. */
export interface UnreachableScript {
  readonly name: string;
  readonly path: string;
  readonly interpreter: string;
}

/** What the checks read of a session, in the policy's own words. */
export interface ContainmentFacts {
  readonly host: Pick<HostReport, 'network'>;
  readonly decision: ContainmentDecision;
  readonly policy: Pick<CapabilityPolicy, 'shellStagedRuntime'>;
  /** Looked up by the caller under a sealed floor only. */
  readonly unreachableScripts?: readonly UnreachableScript[];
}

/**
 * Throws the first refusal of spec/containment.md 4, in its order: E-CAP-003, 004, 006, 005. Pure; the caller runs it before any
 * artifact is resolved and any folder is made, and again with a new decision when the first native tool turns up.
 */
export function checkContainment(facts: ContainmentFacts): void {
  checkFloor(facts.decision);
  checkStagedRuntimes(facts);
  checkScripts(facts);
  checkNetwork(facts);
}

function checkFloor({ floor, achieved, floorMet, shortfallReason }: ContainmentDecision): void {
  if (floorMet) return;
  throw new MurError(
    'E-CAP-003',
    `declared containment class '${floor}' is not achievable on this host (achieved: '${achieved}'): ${shortfallReason}`,
    {
      hint: `lower the floor to '${achieved}' wherever it is declared (capabilities.containment, containment: of the config, --containment), or run on a host that backs '${floor}'`,
    },
  );
}

function checkStagedRuntimes({ decision, policy }: ContainmentFacts): void {
  const binaries = [...new Set(policy.shellStagedRuntime.map(({ binary }) => binary))];
  if (binaries.length === 0 || decision.floor === 'sealed') return;
  throw new MurError(
    'E-CAP-004',
    `capabilities.shell.staged_runtime is declared for ${quoted(binaries)} but the effective containment floor is '${decision.floor}'`,
    {
      hint: "set capabilities.containment: sealed, or drop the grant and use interpreter_runtime, which 'scoped' takes",
    },
  );
}

function checkScripts({ decision, unreachableScripts = [] }: ContainmentFacts): void {
  if (decision.floor !== 'sealed' || unreachableScripts.length === 0) return;
  const [first] = unreachableScripts;
  const list = unreachableScripts.map(({ name, path, interpreter }) => `'${name}' (${path}, run by ${interpreter})`);
  throw new MurError(
    'E-CAP-006',
    `capabilities.shell.allow grants ${list.join(', ')} under the 'sealed' containment floor, but nothing reaches ${list.length === 1 ? 'its' : 'their'} packages`,
    {
      hint: isShim(first!.path)
        ? `${first!.path} is a shim of a version manager: ${shimHint(first!.name)}`
        : `allow the interpreter instead and call ${first!.interpreter} -m <module>; else declare capabilities.shell.staged_runtime or interpreter_runtime for the folders it reads, as measured with strace -f -e trace=%file ${first!.name}`,
      details: { scripts: unreachableScripts },
    },
  );
}

function checkNetwork({ host, decision }: ContainmentFacts): void {
  const { network } = host;
  const missing = network.usable ? network.closed : network;
  if (decision.networkMet || missing === undefined) return;
  const what = network.usable
    ? "this host cannot let the capsule's subprocess tree reach allowed hosts, and those only"
    : "this host cannot give the capsule's subprocess tree its own network namespace";
  throw new MurError(
    'E-CAP-005',
    `${what}: ${missing.reason}; ` +
      "without it nothing holds commands to capabilities.network.allow, and lowering the floor to 'scoped' or 'advisory' does not help",
    {
      hint: `${missing.fix}; or empty capabilities.network.allow, and commands run with no network at all`,
      ...(network.usable ? {} : { details: { blocker: network.blocker } }),
    },
  );
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

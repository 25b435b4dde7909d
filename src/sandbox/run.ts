import { constants } from 'node:os';
import { type Box, StartFailure } from '../containment/box.js';
import { noReadOnlyMounts } from '../containment/read-only.js';
import { boxFolders, openSessionBox } from '../effects/session-box.js';
import { MurError } from '../errors/index.js';
import { parseAllowEntry } from '../policy/index.js';
import { attribute, type CgroupScope, type ResourceLimit } from '../resources/index.js';
import { allowProblem, commandEnvironment, resolveProgram } from '../shell/index.js';
import { checkedReach } from '../stage/contain.js';
import { hostFor } from '../stage/containment.js';
import { mintId } from '../supervise/ids.js';
import { ResourceScope, scopeFaults } from '../supervise/scope.js';
import { checkHost } from './check-host.js';
import { openFolders } from './folders.js';
import type { BoxWarning, Prepared, SandboxCommand } from './prepare.js';
import { SignalRelay } from './signals.js';

/** How the command ended. */
export interface SandboxEnd {
  /** Its own; 128 + n for one that signal n ended. */
  readonly exitCode: number;
  /** The limit that ended it. */
  readonly limit?: ResourceLimit;
}

export interface SandboxOptions {
  readonly onWarning: (warning: BoxWarning) => void;
  /** A connection or a name that was refused to the command. */
  readonly onRefused?: (target: string) => void;
}

/** Commands of a lifecycle that hears of background commands: nothing is said about those, because here everybody waits. */
const waiting = { taskAcceptance: 'queue', afterTask: 'sleep' } as const;

/**
 * Runs one command in the box of a session, with the standard streams of this process, and resolves when nothing of it is left: no
 * process, no folder, no network. Throws the refusals of a launch (`E-CAP-003` to `E-CAP-006`, `E-RUN-012`), before anything is made;
 * `E-CAP-903` to `E-CAP-905` for a command that cannot be started.
 */
export async function runSandbox(
  prepared: Prepared,
  command: SandboxCommand,
  { onWarning, onRefused = () => undefined }: SandboxOptions,
): Promise<SandboxEnd> {
  const { asked, privateNames } = prepared;
  for (const warning of prepared.warnings) onWarning(warning);
  const path = programOf(prepared, command.name);
  const host = await hostFor(asked);
  checkHost(prepared, host);
  const reach = await checkedReach(asked, host, waiting, (code, message) => onWarning({ code, message }));
  const unmounted = noReadOnlyMounts(reach.decision, host);
  if (asked.policy.readOnlyPaths.length > 0 && unmounted !== undefined) {
    onWarning({ code: '', message: `this command may write what filesystem.read_only names: ${unmounted}` });
  }
  const relay = new SignalRelay();
  const scope = new ResourceScope('sandbox');
  try {
    const sessionId = mintId('ses', Date.now());
    const staged = openFolders(prepared, sessionId, scope);
    const folders = boxFolders(staged);
    const { box, limits, defaults } = await openSessionBox({
      sessionId,
      reach,
      folders,
      policy: asked.policy,
      rules: asked.policy.networkAllow.map(parseAllowEntry),
      privateNames,
      scope,
      onRefused: ({ target }) => onRefused(target),
      onLeft: (message) => onWarning({ code: '', message }),
    });
    for (const warning of limits.warnings) onWarning(warning);
    if (relay.early !== undefined) return { exitCode: 128 + constants.signals[relay.early] };
    const env = commandEnvironment({
      policy: asked.policy,
      hostEnv: asked.hostEnv,
      defaults,
      overrides: identity(sessionId, prepared),
      folders: { home: folders.home, temp: box.tempPath, runtime: folders.runtime, records: folders.records },
    });
    return await run({ box, relay, cgroup: limits.scope }, { ...command, path, env });
  } finally {
    const report = await scope.close();
    relay.close();
    for (const message of scopeFaults(report)) onWarning({ code: '', message });
  }
}

interface Opened {
  readonly box: Box;
  readonly relay: SignalRelay;
  readonly cgroup: CgroupScope | undefined;
}

async function run(
  { box, relay, cgroup }: Opened,
  { name, args, path, env }: SandboxCommand & { readonly path: string; readonly env: Readonly<Record<string, string>> },
): Promise<SandboxEnd> {
  // What cannot be read is no evidence.
  const counters = () => cgroup?.counters().catch(() => undefined);
  const before = await counters();
  try {
    const started = await box.start({ path, argv0: name, args, env, inherits: true });
    relay.attach(started);
    const ending = await started.ended;
    const limit = attribute(ending, before, await counters());
    return { exitCode: ending.exitCode, ...(limit === undefined ? {} : { limit }) };
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    throw new MurError('E-CAP-905', `'${name}' could not be started: ${error.message}`);
  }
}

function programOf({ asked, isDeclared }: Prepared, name: string): string {
  if (name.includes('/')) {
    throw new MurError('E-CAP-903', `'${name}' is a path: the programs of a box are named as PATH has them`, {
      hint: `for a program of the work folder: mur sandbox --workdir-exec -- sh -c '${name}'`,
    });
  }
  const problem = allowProblem(name, asked.policy.shellAllow);
  if (problem !== undefined) {
    throw new MurError('E-CAP-903', problem, {
      hint: isDeclared
        ? `add it to capabilities.shell.allow; without --manifest, mur sandbox makes a box for the command it is given`
        : `add --allow ${name}`,
    });
  }
  const path = resolveProgram(name, asked.hostEnv.PATH ?? '');
  if (path === undefined) throw new MurError('E-CAP-904', `'${name}' is no executable file on the PATH`);
  return path;
}

/** What tools of a session are told of it, as far as there is one. */
function identity(sessionId: string, { asked: { manifest } }: Prepared): readonly (readonly [string, string])[] {
  return [
    ['MURMUR_SESSION_ID', sessionId],
    ['MURMUR_CAPSULE_NAME', manifest.name],
    ['MURMUR_CAPSULE_VERSION', manifest.version],
  ];
}

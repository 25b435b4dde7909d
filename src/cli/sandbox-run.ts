import { isShim, shimHint } from '../containment/box-errors.js';
import { toMurError } from '../errors/index.js';
import { prepareSandbox, runSandbox, type SandboxRequest } from '../sandbox/index.js';
import { limitNote } from '../shell/outcome.js';
import { resolveProgram } from '../shell/resolve.js';
import type { CliContext, ExitStatus } from './context.js';
import { errorText, warningLine } from './output.js';
import type { SandboxFlags } from './sandbox.js';
import { styleFor, wantsColor } from './style.js';

/** mur's own failures, which no command's status should be taken for. As in other programs that start one. */
const noBox = 125;
/** A program was refused, or there is none: mostly by a shell in the box. */
const refused = [126, 127];

/** That all is well: said only to who asks. */
const usual: ReadonlySet<string> = new Set(['W-SEC-005']);
/** About what a manifest declared or relies on; no flag did. */
const ofManifests: ReadonlySet<string> = new Set(['W-SEC-009', 'W-SEC-010', 'W-SEC-013', 'W-SEC-901']);

/** Runs the command; its exit status is this one's. Prints what is wrong on stderr and never throws. */
export async function runInSandbox(
  words: readonly string[],
  flags: SandboxFlags,
  { stderr, env }: CliContext,
): Promise<ExitStatus> {
  const style = styleFor(wantsColor({ isTerminal: stderr.isTerminal, env, noColor: !flags.color }));
  const say = (code: string, message: string) =>
    stderr.write(`${warningLine({ code, message, origin: 'cli' }, style)}\n`);
  try {
    const request = sandboxRequest(words, flags);
    const targets = new Set<string>();
    const { exitCode, limit } = await runSandbox(prepareSandbox(request, env), request.command!, {
      onWarning: ({ code, message }) => isSaid(code, flags) && say(code, message),
      onRefused: (target) => {
        if (flags.verbose === true) say('', `a connection to ${target} was refused`);
        else targets.add(target);
      },
    });
    if (limit !== undefined) say('', limitNote(limit));
    if (exitCode !== 0 && targets.size > 0) say('', targetNote([...targets], flags));
    if (refused.includes(exitCode) && flags.manifest === undefined) say('', programNote(words[0]!, flags, env));
    return exitCode;
  } catch (error) {
    const failure = toMurError(error);
    stderr.write(errorText(failure, style));
    return failure.exit === 1 ? noBox : failure.exit;
  }
}

/** Whether a warning tells who gave these flags something about them. */
export function isSaid(code: string, { verbose, manifest }: SandboxFlags): boolean {
  return verbose === true || !(usual.has(code) || (manifest === undefined && ofManifests.has(code)));
}

/** The flags as a request. */
export function sandboxRequest([name, ...args]: readonly string[], flags: SandboxFlags): SandboxRequest {
  const { manifest, workdir, allow, network, env, containment } = flags;
  return {
    ...(name === undefined ? {} : { command: { name, args } }),
    ...(manifest === undefined ? {} : { manifestPath: manifest }),
    ...(workdir === undefined ? {} : { workdir }),
    ...(containment === undefined ? {} : { containment }),
    noEnvFile: !flags.envFile,
    grants: {
      allow,
      network,
      env,
      workdirExec: flags.workdirExec === true,
      unixSockets: flags.unixSockets === true,
    },
  };
}

function programNote(name: string, { workdirExec }: SandboxFlags, env: CliContext['env']): string {
  const path = resolveProgram(name, env.PATH ?? '');
  if (path !== undefined && isShim(path)) return `${path} is a shim of a version manager: ${shimHint(name)}`;
  const own = workdirExec === true ? '' : ', or --workdir-exec for programs of the work folder';
  return `a program that the box does not have ends like this; --allow <program> adds one${own}`;
}

/** Most that are named. */
const mostTargets = 5;

function targetNote(targets: readonly string[], { manifest }: SandboxFlags): string {
  const more = targets.length > mostTargets ? ` and ${targets.length - mostTargets} more` : '';
  const where = manifest === undefined ? '--network <host>' : 'capabilities.network.allow';
  return `connections were refused to ${targets.slice(0, mostTargets).join(', ')}${more}; ${where} allows a host`;
}

import { allowProblem, overridesProblem } from '../shell/index.js';
import type { Commands } from './command.js';
import { asStopped, type Caller, endOf, requestOf } from './command-call.js';

export interface GuestCall extends Caller {
  readonly binary: string;
  readonly args: readonly string[];
  readonly env: readonly (readonly [string, string])[];
}

/** What `murmur:shell/execute` returns. */
export interface GuestResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly fullOutputPath: string | undefined;
}

/** `murmur:shell/execute#run` for a guest: foreground only, arguments as they are. Rejects with the reason nothing ran. */
export async function executeForGuest(commands: Commands, call: GuestCall): Promise<GuestResult> {
  const { binary: name, args, env, signal } = call;
  const problem =
    allowProblem(name, commands.host.policy.shellAllow) ??
    overridesProblem(env) ??
    (args.some((each) => each.includes('\0')) ? 'an argument holds a NUL byte' : undefined);
  if (problem !== undefined) throw new Error(problem);
  const line = { name, args, command: args.join(' ') };
  const outcome = await commands.run(requestOf(commands, line, call, { overrides: env, mayDetach: false }), signal);
  if (outcome.kind !== 'finished') throw new Error(asStopped(outcome).reason);
  const { stdout, stderr, logPath } = outcome.process.shown;
  if (outcome.output.fault !== null) throw new Error(outcome.output.fault.message);
  return {
    exitCode: endOf(outcome).exitCode,
    stdout,
    stderr,
    truncated: logPath !== undefined,
    fullOutputPath: logPath,
  };
}

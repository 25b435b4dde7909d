import type { MurError } from '../errors/index.js';
import { allowProblem, overridesProblem } from '../shell/index.js';
import { truncateUtf8 } from '../text/index.js';
import type { ShellDispatch } from '../tools/index.js';
import type { ShellResult, ShellRun } from '../wasm/index.js';
import type { Commands } from './command.js';
import { asStopped, type Caller, dispatchOf, requestOf } from './command-call.js';

/** What became of a program that a guest asked for. */
export interface GuestRun {
  /** What the guest gets: its result, or the text of its `err`. */
  readonly answer: ShellResult | string;
  /** Facts of the program; absent when none ran to its end. */
  readonly shell?: ShellDispatch;
  /** The session cannot go on. */
  readonly fatal?: MurError;
}

/** Most bytes of the arguments of one program that the trace keeps: a guest may ask in a loop, with megabytes. */
const tracedBytes = 4096;
/** Most bytes of the reason why nothing ran; it names what the guest asked for. */
const reasonBytes = 4096;

/** `murmur:shell/execute#run` for a guest: foreground only, arguments as they are, the environment stripped. Never rejects. */
export async function executeForGuest(commands: Commands, run: ShellRun, caller: Caller): Promise<GuestRun> {
  const { binary: name, args, env } = run;
  const problem =
    allowProblem(name, commands.host.policy.shellAllow) ??
    overridesProblem(env) ??
    (args.some((each) => each.includes('\0')) ? 'an argument holds a NUL byte' : undefined) ??
    commands.host.denied?.({ name, args }, caller);
  if (problem !== undefined) return { answer: reasonOf(problem) };
  const line = { name, args, command: truncateUtf8(args.join(' '), tracedBytes) };
  const request = requestOf(commands, line, caller, { overrides: env, mayDetach: false });
  const outcome = await commands.run(request, caller.signal);
  if (outcome.kind !== 'finished') {
    const { reason, fatal } = asStopped(outcome);
    return { answer: reasonOf(reason), ...(fatal === undefined ? {} : { fatal }) };
  }
  const shell = dispatchOf(outcome);
  const { fault } = outcome.output;
  // Its log could not be written, so the call failed; but the program ran.
  if (fault !== null) return { answer: reasonOf(fault.message), shell };
  const { stdout, stderr, logPath } = outcome.process.shown;
  const { exitCode } = shell;
  return { answer: { exitCode, stdout, stderr, truncated: logPath !== undefined, fullOutputPath: logPath }, shell };
}

/** Why `name` is not started in a session that starts nothing. */
export function nothingAllowed(name: string): string {
  return reasonOf(allowProblem(name, []) ?? '');
}

function reasonOf(text: string): string {
  return truncateUtf8(text, reasonBytes);
}

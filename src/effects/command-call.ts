/**
 * The ways a host program is asked for (spec/shell.md 1), each with its own words for what became of it: a model's call of a shell
 * tool, a model's call of a native tool, a guest's import, a step of a plan.
 */
import type { BoxCommand } from '../containment/box.js';
import type { ResourceLimit } from '../resources/index.js';
import {
  allowProblem,
  type CommandLine,
  commandEnvironment,
  detachedResult,
  finishedResult,
  limitNote,
  nativeFailure,
  nativeInput,
  nativeOutputLimitBytes,
  nativeOverflow,
  nativeResult,
  notRunResult,
  overridesProblem,
  planLine,
  readCommand,
  resolveProgram,
  stepFailure,
  unreadResult,
} from '../shell/index.js';
import type { TaskTrust } from '../task/index.js';
import { type DispatchOutcome, type ShellDispatch, toolOutcome } from '../tools/index.js';
import type { CommandOutcome, Commands } from './command.js';
import type { CommandRequest } from './command-process.js';

/** Who asks. */
export interface Caller {
  readonly taskId: string | null;
  readonly turn: number;
  readonly contextId: string;
  readonly trust: TaskTrust;
  /** Ends the command as long as somebody waits for it. */
  readonly signal?: AbortSignal;
}

export interface ShellCall extends Caller {
  /** Name of the tool, which is the program's. */
  readonly name: string;
  /** `tool-input.data`. */
  readonly data: string | undefined;
}

export interface NativeCall extends Caller {
  readonly name: string;
  readonly data: string | undefined;
  /** The image the runtime wrote. Absolute, links followed. */
  readonly image: string;
  /** Of the operator's entry: compact JSON, and the folder of its state store. */
  readonly settings?: { readonly config?: string; readonly stateDir?: string };
  /** What this tool may use beyond what commands may. */
  readonly extra?: BoxCommand['extra'];
}

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

export interface StepOutcome {
  readonly status: 'success' | 'failed';
  /** Output of a step that succeeded, else why it failed. */
  readonly text: string;
  /** Absent when nothing ran. */
  readonly shell?: ShellDispatch;
}

/** A shell tool call of a model. A command that ran is a passed result, whatever its exit code (spec/shell.md 5). */
export async function runShell(commands: Commands, call: ShellCall): Promise<DispatchOutcome> {
  const { name, data, signal } = call;
  const { policy, identity } = commands.host;
  const problem = allowProblem(name, policy.shellAllow);
  if (problem !== undefined) return notRun(name, { kind: 'stopped', reason: problem });
  const reading = readCommand(name, data);
  if (!reading.ok) return { ...toolOutcome(name, unreadResult(reading.reason)), runtimeError: reading.reason };
  const request = requestOf(commands, reading.line, call, { overrides: identity, mayDetach: true });
  const outcome = await commands.run(request, signal);
  if (outcome.kind === 'stopped') return notRun(name, outcome);
  if (outcome.kind === 'detached') {
    const graceMs = commands.host.background?.graceMs ?? 0;
    const { binary } = outcome;
    return {
      ...toolOutcome(name, detachedResult(outcome.workId)),
      detached: { workId: outcome.workId, binary, command: reading.line.command, graceMs },
    };
  }
  const shell = dispatchOf(outcome);
  const { fault } = outcome.output;
  // Its log could not be written, so the call failed; but the program ran, which is no runtime error.
  if (fault !== null) return { ...toolOutcome(name, notRunResult(fault.message)), shell };
  const result = finishedResult({ line: reading.line, exitCode: shell.exitCode, ...outcome.process.shown });
  const limit = shell.resourceLimit as ResourceLimit | undefined;
  return { ...toolOutcome(name, result, limit === undefined ? undefined : limitNote(limit)), shell };
}

/** A call of a native tool (spec/shell.md 7). Never moved to the background. What it says to stderr goes to the session's log. */
export async function runNative(commands: Commands, call: NativeCall): Promise<DispatchOutcome> {
  const { name, data, image, settings, extra, signal } = call;
  const line: CommandLine = { name, args: [], command: '' };
  const request: CommandRequest = {
    ...requestOf(commands, line, call, { ...(settings && { settings }), mayDetach: false }),
    path: image,
    stdin: nativeInput(data),
    stdoutCapBytes: nativeOutputLimitBytes,
    ...(extra === undefined ? {} : { extra }),
  };
  const outcome = await commands.run(request, signal);
  if (outcome.kind !== 'finished') {
    const { reason, fatal } = asStopped(outcome);
    return {
      ...toolOutcome(name, nativeFailure(name, reason)),
      runtimeError: reason,
      ...(fatal === undefined ? {} : { fatal }),
    };
  }
  const { stdout, stderr } = outcome.process.shown;
  if (stderr !== '') commands.host.log({ level: 'info', message: `stderr of native tool ${name}`, stderr });
  if (outcome.process.overflowed) return toolOutcome(name, nativeFailure(name, nativeOverflow));
  const { exitCode, waitError, resourceLimit } = endOf(outcome);
  if (waitError !== null) return toolOutcome(name, nativeFailure(name, `waiting for it failed: ${waitError}`));
  const result = nativeResult(name, { exitCode, stdout, stderr });
  return toolOutcome(name, result, resourceLimit === null ? undefined : limitNote(resourceLimit as ResourceLimit));
}

/** `murmur:shell/execute#run` for a guest: foreground only, arguments as they are. Rejects with the reason nothing ran. */
export async function executeForGuest(commands: Commands, call: GuestCall): Promise<GuestResult> {
  const { binary: name, args, env, signal } = call;
  const problem =
    allowProblem(name, commands.host.policy.shellAllow) ??
    overridesProblem(env) ??
    (args.some((each) => each.includes('\0')) ? 'an argument holds a NUL byte' : undefined);
  if (problem !== undefined) throw new Error(problem);
  const line: CommandLine = { name, args, command: args.join(' ') };
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

/** A shell step of a plan (spec/shell.md 10). Foreground only; a sealed root that cannot be built fails the step. */
export async function runStep(commands: Commands, text: string, caller: Caller): Promise<StepOutcome> {
  const line = planLine(text);
  if (line === undefined) return { status: 'failed', text: 'the step has no command' };
  const problem = allowProblem(line.name, commands.host.policy.shellAllow);
  if (problem !== undefined) return { status: 'failed', text: problem };
  const outcome = await commands.run(requestOf(commands, line, caller, { mayDetach: false }), caller.signal);
  if (outcome.kind !== 'finished') return { status: 'failed', text: asStopped(outcome).reason };
  const shell = dispatchOf(outcome);
  const { stdout, stderr } = outcome.process.shown;
  if (outcome.output.fault !== null) return { status: 'failed', text: outcome.output.fault.message, shell };
  const resourceLimit = shell.resourceLimit as ResourceLimit | undefined;
  if (shell.exitCode === 0) return { status: 'success', text: stdout, shell };
  const { binary, exitCode } = shell;
  return {
    status: 'failed',
    text: stepFailure({ binary, exitCode, stderr, ...(resourceLimit && { resourceLimit }) }),
    shell,
  };
}

interface RequestParts {
  readonly overrides?: readonly (readonly [string, string])[];
  readonly settings?: { readonly config?: string; readonly stateDir?: string };
  readonly mayDetach: boolean;
}

function requestOf(commands: Commands, line: CommandLine, caller: Caller, parts: RequestParts): CommandRequest {
  const { policy, hostEnv } = commands.host;
  const { taskId, turn, contextId, trust } = caller;
  const { mayDetach, ...rest } = parts;
  return {
    line,
    path: resolveProgram(line.name, hostEnv.PATH ?? ''),
    environment: () => commandEnvironment({ policy, hostEnv, folders: commands.folders(), ...rest }),
    taskId,
    turn,
    contextId,
    trust,
    mayDetach,
  };
}

type Finished = Extract<CommandOutcome, { kind: 'finished' }>;

function endOf({ output }: Finished) {
  if (output.end === null) throw new Error('a finished command has no end');
  return output.end;
}

function dispatchOf(outcome: Finished): ShellDispatch {
  const { exitCode, durationMs, resourceLimit } = endOf(outcome);
  const { stdout, stderr } = outcome.process.shown;
  return {
    binary: outcome.process.binary,
    command: outcome.process.request.line.command,
    exitCode,
    stdoutBytes: Buffer.byteLength(stdout),
    stderrBytes: Buffer.byteLength(stderr),
    durationMs,
    ...(resourceLimit === null ? {} : { resourceLimit }),
  };
}

type Stopped = Extract<CommandOutcome, { kind: 'stopped' }>;

function notRun(name: string, { reason, fatal }: Stopped): DispatchOutcome {
  return {
    ...toolOutcome(name, notRunResult(reason)),
    runtimeError: reason,
    ...(fatal === undefined ? {} : { fatal }),
  };
}

/** Only a call that may be moved to the background is: for any other this is the same. */
function asStopped(outcome: Exclude<CommandOutcome, Finished>): Stopped {
  return outcome.kind === 'stopped' ? outcome : { kind: 'stopped', reason: `it goes on as ${outcome.workId}` };
}

/**
 * What the ways of asking for a host program share (spec/shell.md 1). Each has a file of its own, with its own words for what became of
 * it: command-shell.ts and command-native.ts for calls of a model, command-guest.ts for the import of a guest, command-step.ts for plans.
 */
import { type CommandLine, commandEnvironment, resolveProgram } from '../shell/index.js';
import type { TaskTrust } from '../task/index.js';
import type { ShellDispatch } from '../tools/index.js';
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

interface RequestParts {
  readonly overrides?: readonly (readonly [string, string])[];
  readonly settings?: { readonly config?: string; readonly stateDir?: string };
  readonly mayDetach: boolean;
}

export function requestOf(commands: Commands, line: CommandLine, caller: Caller, parts: RequestParts): CommandRequest {
  const { policy, hostEnv, defaults = [] } = commands.host;
  const { taskId, turn, contextId, trust } = caller;
  const { mayDetach, ...rest } = parts;
  return {
    line,
    path: resolveProgram(line.name, hostEnv.PATH ?? ''),
    environment: () => commandEnvironment({ policy, hostEnv, defaults, folders: commands.folders(), ...rest }),
    taskId,
    turn,
    contextId,
    trust,
    mayDetach,
  };
}

export type Finished = Extract<CommandOutcome, { kind: 'finished' }>;

export function endOf({ output }: Finished) {
  if (output.end === null) throw new Error('a finished command has no end');
  return output.end;
}

export function dispatchOf(outcome: Finished): ShellDispatch {
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

export type Stopped = Extract<CommandOutcome, { kind: 'stopped' }>;

/** Only a call that may be moved to the background is: for any other this is the same. */
export function asStopped(outcome: Exclude<CommandOutcome, Finished>): Stopped {
  return outcome.kind === 'stopped' ? outcome : { kind: 'stopped', reason: `it goes on as ${outcome.workId}` };
}

import type { ResourceLimit } from '../resources/index.js';
import {
  allowProblem,
  detachedResult,
  finishedResult,
  limitNote,
  notRunResult,
  readCommand,
  unreadResult,
} from '../shell/index.js';
import { type DispatchOutcome, type ShellDispatch, toolOutcome } from '../tools/index.js';
import type { TraceEvents } from '../trace/index.js';
import type { Commands } from './command.js';
import { type Caller, dispatchOf, requestOf, type Stopped } from './command-call.js';

export interface ShellCall extends Caller {
  /** Name of the tool, which is the program's. */
  readonly name: string;
  /** `tool-input.data`. */
  readonly data: string | undefined;
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

/** The trace line of a command that ran; it follows the call's own. A detached one has its line already. */
export function shellLine(
  of: { readonly turn: number; readonly taskId: string | null },
  shell: ShellDispatch,
): TraceEvents['shell'] {
  return {
    turn: of.turn,
    task_id: of.taskId,
    binary: shell.binary,
    command: shell.command,
    exit_code: shell.exitCode,
    stdout_bytes: shell.stdoutBytes,
    stderr_bytes: shell.stderrBytes,
    duration_ms: shell.durationMs,
    resource_limit: shell.resourceLimit as ResourceLimit | undefined,
  };
}

function notRun(name: string, { reason, fatal }: Stopped): DispatchOutcome {
  return {
    ...toolOutcome(name, notRunResult(reason)),
    runtimeError: reason,
    ...(fatal === undefined ? {} : { fatal }),
  };
}

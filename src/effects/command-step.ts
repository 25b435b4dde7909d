import type { ResourceLimit } from '../resources/index.js';
import { allowProblem, planLine, stepFailure } from '../shell/index.js';
import type { ShellDispatch } from '../tools/index.js';
import type { Commands } from './command.js';
import { asStopped, type Caller, dispatchOf, requestOf } from './command-call.js';

export interface StepOutcome {
  readonly status: 'success' | 'failed';
  /** Output of a step that succeeded, else why it failed. */
  readonly text: string;
  /** Absent when nothing ran. */
  readonly shell?: ShellDispatch;
}

/** A shell step of a plan (spec/shell.md 10). Foreground only; a sealed root that cannot be built fails the step. */
export async function runStep(commands: Commands, text: string, caller: Caller): Promise<StepOutcome> {
  const line = planLine(text);
  if (line === undefined) return { status: 'failed', text: 'the step has no command' };
  const problem = allowProblem(line.name, commands.host.policy.shellAllow) ?? commands.host.denied?.(line, caller);
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

import type { ToolResult } from '../../workers/protocol.js';
import type { ResourceLimit } from '../resources/index.js';
import { type CommandLine, shownLine } from './command-line.js';

/** A command that ran to its end. */
export interface FinishedCommand {
  readonly line: CommandLine;
  readonly exitCode: number;
  /** At most `outputLimitBytes` of each stream, decoded. */
  readonly stdout: string;
  readonly stderr: string;
  /** Where everything is, when either stream was longer. */
  readonly logPath?: string;
}

/** The result of a command that ran, whatever its exit code (spec/shell.md 6.1). */
export function finishedResult(finished: FinishedCommand): ToolResult {
  const { line, exitCode, stdout, stderr, logPath } = finished;
  const shown = [`$ ${shownLine(line)}`, `Exit code: ${exitCode}`, 'Stdout:', stdout, 'Stderr:', stderr];
  if (logPath !== undefined) shown.push('', `The output is longer than this; all of it is in ${logPath}.`);
  return {
    status: 'passed',
    summary: `shell command exited with code ${exitCode}`,
    data: shown.join('\n'),
    truncated: logPath !== undefined,
    metadata: logPath === undefined ? [] : [['full_output_path', logPath]],
  };
}

/** The result of a call whose input holds no command (spec/shell.md 3). */
export function unreadResult(reason: string): ToolResult {
  return failed('the input of the shell call could not be parsed', reason);
}

/** The result of a command that was not run (spec/shell.md 6.2). */
export function notRunResult(reason: string): ToolResult {
  return failed('shell execution failed', reason);
}

/** The result of a command that goes on in the background (spec/shell.md 6.3). Its size does not depend on the command. */
export function detachedResult(workId: string): ToolResult {
  return {
    status: 'passed',
    summary: `shell command goes on in the background as ${workId}`,
    data:
      `The command did not finish in time. It goes on in the background as ${workId}. Its result comes later by itself; there is ` +
      'nothing to poll. Carry on.',
    truncated: false,
    metadata: [['work_id', workId]],
  };
}

const advice: Readonly<Record<ResourceLimit, string>> = {
  cpu_seconds: 'Split the work into shorter commands',
  max_file_size_bytes: 'Write smaller files',
  cgroup_memory_bytes: 'Use less memory, for example fewer parallel jobs',
  cgroup_pids_max: 'Start fewer processes at once',
};

/** What the runtime says behind the fence of a command that ran into `limit` (spec/shell.md 6.4). */
export function limitNote(limit: ResourceLimit): string {
  return `[runtime] capabilities.resources.${limit} was reached during this call. ${advice[limit]}, or ask the operator to raise the limit.`;
}

/** Text of a plan step that failed (spec/shell.md 9, 10). */
export function stepFailure(step: {
  readonly binary: string;
  readonly exitCode: number;
  readonly stderr: string;
  readonly resourceLimit?: ResourceLimit;
}): string {
  const { binary, exitCode, stderr, resourceLimit } = step;
  const said = stderr.trim() === '' ? `exit code ${exitCode}` : stderr;
  if (resourceLimit === undefined) return said;
  return `E-RUN-011: ${binary} ran into capabilities.resources.${resourceLimit}: ${said}`;
}

function failed(summary: string, reason: string): ToolResult {
  return { status: 'error', summary, data: reason, truncated: false, metadata: [] };
}

import type { ResourceLimit } from '../resources/index.js';
import { cutCharacters } from '../tools/index.js';

/** A background command that ended by itself. */
export interface Completion {
  readonly workId: string;
  /** As resolved. */
  readonly binary: string;
  readonly command: string;
  readonly exitCode: number;
  readonly durationMs: number;
  readonly outputPath: string;
  /** Size of the file at `outputPath`. */
  readonly outputBytes: number;
  readonly resourceLimit?: ResourceLimit;
  /** Why the end, or the output, is not all that it should be. */
  readonly waitError?: string;
}

/** Whether a completion went well: exit code 0, nothing amiss, no limit reached. */
export function completionStatus({ exitCode, resourceLimit, waitError }: Completion): 'ok' | 'error' {
  return exitCode === 0 && resourceLimit === undefined && waitError === undefined ? 'ok' : 'error';
}

/** Longest command line a report repeats. The model wrote it and has it. */
const shownCharacters = 2000;

/** What the capsule is told of a background command that ended (spec/shell.md 8.3). Holds none of its output. */
export function completionMessage(completion: Completion): string {
  const { workId, binary, command, exitCode, durationMs, outputPath, outputBytes, resourceLimit, waitError } =
    completion;
  const lines: [string, string | number | undefined][] = [
    ['work_id', workId],
    ['binary', binary],
    ['command', oneLine(command)],
    ['status', completionStatus(completion)],
    ['exit_code', exitCode],
    ['duration_ms', durationMs],
    ['output', `${outputPath} (${outputBytes} bytes)`],
    ['resource_limit', resourceLimit],
    ['wait_error', waitError === undefined ? undefined : oneLine(waitError)],
  ];
  return [
    'A background shell command finished.',
    ...lines.filter(([, value]) => value !== undefined).map(([key, value]) => `${key}: ${value}`),
    'Its whole output is in the file named above.',
  ].join('\n');
}

/** `text` fit for one line: no line break of it may pass for a line of the report. */
export function oneLine(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r' };
  return cutCharacters(
    text.replace(/[\r\n\u0085\u2028\u2029]/g, (each) => escapes[each] ?? ' '),
    shownCharacters,
  );
}

import type { Output } from './output.js';

/** What a command may touch of the process it runs in. */
export interface CliContext {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The exit status of a command: 0 success, 1 an error or an incomplete task, 2 wrong usage (spec/cli.md section 1). */
export type ExitStatus = number;

import type { Capture } from './capture.js';
import type { LogFolder } from './log-folder.js';

export interface LoggedCommand {
  /** As invoked. */
  readonly name: string;
  readonly args: readonly string[];
  /** `null`: it was ended with its session. */
  readonly exitCode: number | null;
}

export interface WrittenLog {
  readonly path: string;
  readonly sizeBytes: number;
}

/** The stem of a foreground command's log. */
export function shellLogStem(unixMs: number): string {
  return `shell-${unixMs}`;
}

/** The lines above the output in a log (spec/shell.md 5.1). */
export function logHead({ name, args, exitCode }: LoggedCommand): string {
  return `Command: ${[name, ...args].join(' ')}\nExit code: ${exitCode ?? 'none, it was ended with its session'}\n\nStdout:\n`;
}

const between = '\n\nStderr:\n';

/**
 * Writes the log of an ended command: its output byte for byte, all that was captured. Throws when it cannot be written whole.
 */
export async function writeLog(
  folder: LogFolder,
  stem: string,
  command: LoggedCommand,
  output: { readonly stdout: Capture; readonly stderr: Capture },
): Promise<WrittenLog> {
  const { path, file } = await folder.create(stem);
  try {
    await file.appendFile(logHead(command));
    await output.stdout.copyTo(file);
    await file.appendFile(between);
    await output.stderr.copyTo(file);
    const lost = output.stdout.failure ?? output.stderr.failure;
    if (lost !== undefined) throw new Error(`${path} lacks output: ${lost}`);
    return { path, sizeBytes: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

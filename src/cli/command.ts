import type { Command } from 'commander';
import type { CliContext, ExitStatus } from './context.js';

/** Flags that every command has. */
export interface CommonFlags {
  /** False under `--no-color`. */
  readonly color: boolean;
}

/** What a command does once its flags are understood. It may throw: the program prints the error and maps it to the status. */
export type Act<F> = (flags: F, context: CliContext) => Promise<ExitStatus>;

/** What the program lends to a command while it is being run. */
export interface Shell {
  /** Runs `act` and keeps its status. `command` is the whole name, as in `config set`. */
  run<F extends CommonFlags>(command: string, flags: F, act: Act<F>): Promise<void>;
}

/**
 * What the module of a command exports: its name, arguments, flags and examples. The program adds the summary of its row
 * in commands.ts, `--help`, `--version` and `--no-color`. What `act` needs is imported inside of it, never at the top.
 *
 * @example
 * export function command(shell: Shell): Command {
 *   return new Command('ps')
 *     .description('Lists the sessions that run on this machine.')
 *     .addOption(new Option('--json', 'JSON on stdout'))
 *     .addHelpText('after', examples)
 *     .action((flags: PsFlags) =>
 *       shell.run('ps', flags, async (flags, context) => (await import('./ps-list.js')).listSessions(flags, context)),
 *     );
 * }
 */
export interface CommandModule {
  command(shell: Shell): Command;
}

import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur ps` as the parser leaves them. */
export interface PsFlags extends CommonFlags {
  readonly watch?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** What a shell asks that completes a command line. */
  readonly addresses?: boolean;
}

const examples = `
Examples:
  mur ps                       every capsule that runs on this machine, newest first
  mur ps --watch               the same, kept current; Ctrl-C ends
  mur ps --json                one JSON array, for scripts
  mur ps --watch --json        one JSON line per change

A session that answers is running. One whose process lives but does not answer, or cannot be verified, is
unreachable and stays listed. Records of processes that are gone are removed.`;

/** `mur ps`. */
export function command(shell: Shell): Command {
  return new Command('ps')
    .description('Lists the sessions that run on this machine and verifies each one.')
    .addOption(new Option('-w, --watch', 'keep the list current until Ctrl-C'))
    .addOption(new Option('--json', 'JSON on stdout: an array, or a line per change with --watch'))
    .addOption(new Option('-v, --verbose', 'say why a session is unreachable, and name each record that was removed'))
    .addOption(new Option('--addresses').hideHelp())
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((flags: PsFlags) =>
      shell.run('ps', flags, async (flags, context) => {
        if (flags.addresses === true) return (await import('./ps-addresses.js')).listAddresses(context);
        if (flags.watch === true) return (await import('./ps-watch.js')).watchSessions(flags, context);
        return (await import('./ps-list.js')).listSessions(flags, context);
      }),
    );
}

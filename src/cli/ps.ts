import { Command, Option } from 'commander';
import type { ExitStatus } from './context.js';

/** The flags of `mur ps` as the parser leaves them. */
export interface PsFlags {
  readonly watch?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** False under `--no-color`. */
  readonly color: boolean;
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
export function psCommand(act: (flags: PsFlags) => Promise<ExitStatus>, settle: (status: ExitStatus) => void): Command {
  return new Command('ps')
    .summary('list the capsules that run on this machine')
    .description('Lists the sessions that run on this machine and verifies each one.')
    .addOption(new Option('-w, --watch', 'keep the list current until Ctrl-C'))
    .addOption(new Option('--json', 'JSON on stdout: an array, or a line per change with --watch'))
    .addOption(new Option('-v, --verbose', 'say why a session is unreachable, and name each record that was removed'))
    .addOption(new Option('--no-color', 'no colours (NO_COLOR works too)'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action(async (flags: PsFlags) => settle(await act(flags)));
}

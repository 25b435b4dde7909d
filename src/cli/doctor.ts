import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur doctor` as the parser leaves them. */
export interface DoctorFlags extends CommonFlags {
  readonly bind: string;
  readonly json?: boolean;
  /** Try each mechanism of containment on this machine. */
  readonly probe: boolean;
}

const examples = `
Examples:
  mur doctor                  would a run of this project start, and what would it be given
  mur doctor --bind 0.0.0.0   the same, for a door that other machines can reach
  mur doctor --no-probe       without trying what this machine has for containment, which takes longest
  mur doctor --json           one JSON object, for scripts

Outside a project it says what it can of the machine. Changes nothing and needs no network. Exit status: 0 nothing is wrong (warnings allowed), 1 something is.`;

/** `mur doctor`. */
export function command(shell: Shell): Command {
  return new Command('doctor')
    .description('Checks this machine, your murmur home and the project around this folder, and says what to do.')
    .addOption(new Option('--bind <address>', 'the address the door would listen on').default('127.0.0.1'))
    .addOption(new Option('--no-probe', 'read files only: try no mechanism of containment'))
    .addOption(new Option('--json', 'one JSON object on stdout'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((flags: DoctorFlags) =>
      shell.run('doctor', flags, async (flags, context) =>
        (await import('./doctor-project.js')).diagnose(flags, context),
      ),
    );
}

import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur list` as the parser leaves them. */
export interface ListFlags extends CommonFlags {
  readonly global?: boolean;
  readonly all?: boolean;
  readonly contract?: string;
  readonly json?: boolean;
}

const examples = `
Examples:
  mur list                          what this project has installed; outside of a project, what you have
  mur list -g                       what every project of yours can use
  mur list --all                    both
  mur list --contract murmur:hook   only what imports or exports an interface of that name
  mur list --json                   one JSON array, for scripts`;

/** `mur list`. */
export function command(shell: Shell): Command {
  return new Command('list')
    .description('Lists installed artifacts: of the project around this folder, else those of your home.')
    .addOption(new Option('-g, --global', 'what ~/.murmur/artifacts holds'))
    .addOption(new Option('--all', 'both stores, with a SCOPE column').conflicts('global'))
    .addOption(new Option('--contract <prefix>', 'only artifacts with a WIT import or export that starts so'))
    .addOption(new Option('--json', 'one JSON array on stdout'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((flags: ListFlags) =>
      shell.run('list', flags, async (flags, context) =>
        (await import('./list-artifacts.js')).listArtifacts(flags, context),
      ),
    );
}

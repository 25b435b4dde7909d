import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur precompile` as the parser leaves them. */
export interface PrecompileFlags extends CommonFlags {
  readonly workdir?: string;
  readonly json?: boolean;
}

const examples = `
Examples:
  mur precompile tool-0.1.0.mur.zip       compile now what the first run would have to
  mur precompile --json dist/*.mur.zip    one JSON line, for scripts

Nothing is installed or pinned. Exit status: 0 all compiled or nothing to compile, 1 one failed, 2 wrong usage.`;

/** `mur precompile`. */
export function command(shell: Shell): Command {
  return new Command('precompile')
    .description('Compiles the components of artifacts for this machine, so that their first run does not wait.')
    .argument('<zip...>', 'artifact archives')
    .addOption(new Option('--workdir <dir>', 'refuse, as a run would, when this work folder holds the murmur home'))
    .addOption(new Option('--json', 'one JSON line on stdout'))
    .addHelpText('after', examples)
    .action((zips: readonly string[], flags: PrecompileFlags) =>
      shell.run('precompile', flags, async (flags, context) =>
        (await import('./precompile-archives.js')).precompileArchives(zips, flags, context),
      ),
    );
}

import { Argument, Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur install` as the parser leaves them. */
export interface InstallFlags extends CommonFlags {
  readonly global?: boolean;
  readonly registry?: string;
  readonly allPlatforms?: boolean;
  readonly repin?: boolean;
  /** False under `--no-precompile`. */
  readonly precompile: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  mur install                          everything that the project's murmur.yaml declares, pinned in murmur.lock
  mur install csv-merge@1.0.4          one artifact, into the project around this folder
  mur install csv-merge                its latest release
  mur install github:acme/tools@v2     every artifact of one release
  mur install ./tool-0.1.0.mur.zip     a file; nothing is pinned
  mur install --repin ./tool-0.1.0.mur.zip    the same while you change that tool: it takes the place of the bytes pinned before
  mur install -g csv-merge@1.0.4       for every project of yours; nothing is pinned

An artifact that murmur.lock pins at other bytes is refused before anything of it is written, unless --repin
says that the change is meant; a pin that a session made is never replaced.`;

/** `mur install`. */
export function command(shell: Shell): Command {
  const command = new Command('install')
    .description('Fetches artifacts, checks them, stores them and pins them in murmur.lock.')
    .addArgument(
      new Argument('[ref]', 'name@version, name, github:owner/repo@tag, or a file; all of the project without'),
    )
    .addOption(new Option('-g, --global', 'into ~/.murmur/artifacts, and pin nothing'))
    .addOption(
      new Option('--repin', 'replace what murmur.lock pins of a file that changed, and say what that was').conflicts([
        'global',
        'allPlatforms',
      ]),
    )
    .addOption(new Option('--registry <url|local>', 'where to look first, this time'))
    .addOption(new Option('--all-platforms', 'every platform of name@version, into ~/.murmur/artifacts'))
    .addOption(new Option('--no-precompile', 'do not compile now; the first run will'))
    .addOption(new Option('--json', 'one JSON line on stdout'))
    .addHelpText('after', examples)
    .allowExcessArguments(false);
  return command.action((ref: string | undefined, flags: InstallFlags) => {
    if (flags.allPlatforms === true && !/^[^@:]+@[^@]+$/.test(ref ?? '')) {
      command.error("error: option '--all-platforms' needs name@version");
    }
    return shell.run('install', flags, async (flags, context) =>
      (await import('./install-artifacts.js')).installArtifacts(ref, flags, context),
    );
  });
}

import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur beta list`. */
export interface BetaListFlags extends CommonFlags {
  readonly json?: boolean;
}

/** Those of `enable` and `disable`. */
export interface BetaSetFlags extends BetaListFlags {
  readonly feature: string;
}

const examples = `
Examples:
  mur beta list                what there is to try, and what is enabled here
  mur beta enable mur-deploy
  mur beta disable mur-deploy

enable and disable write ~/.murmur/config.yaml.`;

/** `mur beta`. */
export function command(shell: Shell): Command {
  const beta = new Command('beta')
    .description('Lists, enables and disables features that are not finished.')
    .addHelpText('after', examples);
  beta
    .command('list')
    .summary('list the features and what is enabled here')
    .description('Lists the features that are not finished, and which of them are enabled in this folder.')
    .addOption(new Option('--json', 'JSON on stdout'))
    .addHelpText('after', '\nExamples:\n  mur beta list\n  mur beta list --json')
    .allowExcessArguments(false)
    .action((flags: BetaListFlags) =>
      shell.run('beta list', flags, async (flags, context) =>
        (await import('./beta-list.js')).listBetas(flags, context),
      ),
    );
  for (const verb of ['enable', 'disable'] as const) {
    beta
      .command(verb)
      .summary(`${verb} a feature for you, on this machine`)
      .description(`Writes ~/.murmur/config.yaml so that the feature is ${verb}d.`)
      .argument('<feature>', 'its name, as mur beta list shows it')
      .addOption(new Option('--json', 'JSON on stdout'))
      .addHelpText('after', `\nExamples:\n  mur beta ${verb} mur-deploy`)
      .allowExcessArguments(false)
      .action((feature: string, flags: Omit<BetaSetFlags, 'feature'>) =>
        shell.run(`beta ${verb}`, { ...flags, feature }, async (flags, context) =>
          (await import('./beta-set.js')).setBeta(verb, flags, context),
        ),
      );
  }
  return beta;
}

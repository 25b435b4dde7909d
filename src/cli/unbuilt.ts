import { Command } from 'commander';
import { type BetaFeature, betaFeatures } from './beta-features.js';
import { requireBeta } from './beta-gate.js';
import type { CommandModule, CommonFlags } from './command.js';

/** A command whose name is known and whose feature is not built: whatever its arguments are, it says so. */
export function unbuilt(name: string, feature: BetaFeature): CommandModule {
  return {
    command: (shell) =>
      new Command(name)
        .description(`${betaFeatures[feature].what}. This version of mur does not have it yet.`)
        .usage('[arguments]')
        .addHelpText(
          'after',
          `\nExamples:\n  mur beta list                what this version has\n  mur beta enable ${feature}`,
        )
        .allowUnknownOption()
        .allowExcessArguments()
        .action((flags: CommonFlags) =>
          shell.run(name, flags, async (_flags, context) => {
            await requireBeta(feature, `mur ${name}`, context);
            return 1;
          }),
        ),
  };
}

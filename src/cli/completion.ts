import { Argument, Command } from 'commander';
import type { CommonFlags, Shell } from './command.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof shells)[number];

/** What `mur completion` was asked. */
export interface CompletionFlags extends CommonFlags {
  readonly shell: ShellName;
}

const examples = `
Install it once; a new shell then knows it:
  bash   mkdir -p ~/.local/share/bash-completion/completions
         mur completion bash > ~/.local/share/bash-completion/completions/mur
         (without the bash-completion package: add  source <(mur completion bash)  to ~/.bashrc)
  zsh    mkdir -p ~/.zfunc && mur completion zsh > ~/.zfunc/_mur
         and in ~/.zshrc, before compinit:  fpath+=(~/.zfunc)
  fish   mur completion fish > ~/.config/fish/completions/mur.fish

Examples:
  source <(mur completion bash)        try it in this shell
  mur completion fish | source

The script is fixed text: make it anew after an update of mur, or after mur beta enable. It asks mur only for the sessions that run.`;

/** `mur completion`. */
export function command(shell: Shell): Command {
  return new Command('completion')
    .description('Prints a script that teaches your shell the commands, flags, values and running sessions of mur.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((name: ShellName, flags: CommonFlags) =>
      shell.run('completion', { ...flags, shell: name }, async (flags, context) =>
        (await import('./completion-print.js')).printCompletion(flags, context),
      ),
    );
}

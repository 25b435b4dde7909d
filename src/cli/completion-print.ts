import { Command } from 'commander';
import { enabledBetas } from './beta-gate.js';
import type { Shell } from './command.js';
import { commandRows } from './commands.js';
import type { CompletionFlags, ShellName } from './completion.js';
import { bashScript } from './completion-bash.js';
import { fishScript } from './completion-fish.js';
import { type Completed, completedCommands } from './completion-model.js';
import { zshScript } from './completion-zsh.js';
import type { CliContext, ExitStatus } from './context.js';
import { prepare } from './prepare.js';

const scripts: Readonly<Record<ShellName, (commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `mur completion`: the whole script on stdout. */
export async function printCompletion(flags: CompletionFlags, context: CliContext): Promise<ExitStatus> {
  context.stdout.write(scripts[flags.shell](await allCommands(context)));
  return 0;
}

/** Every command that `mur help` lists here, with everything below it. Loads all of their modules, and runs none. */
export async function allCommands({ env }: Pick<CliContext, 'env'>): Promise<readonly Completed[]> {
  const enabled = await enabledBetas({ env });
  const nowhere = { write: () => undefined };
  const shell: Shell = { run: () => Promise.resolve() };
  const program = new Command('mur');
  program.enablePositionalOptions();
  program.option('--no-color', 'no colours (NO_COLOR works too)');
  for (const { name, summary, beta, hidden, load } of commandRows) {
    if (hidden === true || (beta !== undefined && !enabled.has(beta))) continue;
    const module = await load();
    program.addCommand(module.command(shell).summary(summary).name(name));
  }
  prepare(program, { stdout: nowhere, stderr: nowhere });
  return completedCommands(program);
}

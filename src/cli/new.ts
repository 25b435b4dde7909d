import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** What `mur new` was asked. */
export interface NewFlags extends CommonFlags {
  /** A kind of project, or the description of an agent. */
  readonly what?: string;
  readonly name?: string;
  readonly roster?: string;
  readonly registry?: string;
  readonly json?: boolean;
}

const examples = `
Examples:
  mur new tool word-count          a tool in 15 lines of TypeScript, and a capsule to try it in
  mur new agent night-watch        an agent that works on the files of a folder
  mur new driver my-driver         what stands between an agent and a model
  mur new hook my-hook             code at the events of a session
  mur new skill my-skill           a text that a model reads when it needs it
  mur new tool                     in this folder instead, named after it
  mur new --roster night-shift     two capsules, of which one gives work to the other

Nothing is ever replaced, and nothing leaves this machine. Each project but a roster has a README of three commands.`;

/** `mur new`. */
export function command(shell: Shell): Command {
  return new Command('new')
    .description('Starts a project: an agent, a tool, a hook, a driver or a skill.')
    .argument('[kind]', 'agent, tool, hook, driver or skill')
    .argument('[name]', 'its name, and the folder that is made; default: this folder')
    .addOption(new Option('--roster <name>', 'a folder with a roster and its two capsules').conflicts('registry'))
    .addOption(new Option('--registry <place>', 'where to look for artifacts').hideHelp())
    .addOption(new Option('--json', 'one JSON object on stdout'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((what: string | undefined, name: string | undefined, flags: NewFlags, self: Command) => {
      const asked = {
        ...flags,
        ...(what === undefined ? {} : { what }),
        ...(name === undefined ? {} : { name }),
      };
      if (asked.roster !== undefined && what !== undefined) {
        self.error("error: option '--roster <name>' cannot be used with a kind or a task", { exitCode: 2 });
      }
      if (asked.roster === undefined && what === undefined) {
        self.error("error: missing argument 'kind': agent, tool, hook, driver or skill", { exitCode: 2 });
      }
      return shell.run('new', asked, async (flags, context) =>
        (await import('./new-project.js')).newFromFlags(flags, context),
      );
    });
}

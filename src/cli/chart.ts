import { Argument, Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur chart` as the parser leaves them. */
export interface ChartFlags extends CommonFlags {
  /** A machine, or what names a recorded session. Absent: all machines are listed. */
  readonly what?: string;
  readonly svg?: boolean;
  readonly mermaid?: boolean;
  readonly json?: boolean;
  /** The machine of the session to draw, by id; only with a session. */
  readonly machine?: string;
  readonly force?: boolean;
  readonly workdir?: string;
}

const examples = `
Examples:
  mur chart                        every state chart of this build
  mur chart task                   one of them, with all its states and transitions
  mur chart task --svg > task.svg  the same as a picture
  mur chart @1                     the newest session as it stands: where it is, and what can happen next
  mur chart @1 --machine turn --svg > turn.svg`;

/** `mur chart`. */
export function command(shell: Shell): Command {
  return new Command('chart')
    .description('Draws the state charts that sessions run, and where a recorded or running session stands in them.')
    .addArgument(new Argument('[what]', 'a machine such as task, or a session: @N, an id, the end of one, a path'))
    .addOption(new Option('--svg', 'a picture').conflicts(['mermaid', 'json']))
    .addOption(new Option('--mermaid', 'Mermaid text').conflicts(['json']))
    .addOption(new Option('--json', 'states, transitions and, for a session, what is active'))
    .addOption(new Option('--machine <id>', 'with a session: this machine of it, for --svg, --mermaid and --json'))
    .addOption(new Option('--force', 'with a session: draw it although the charts have changed since'))
    .addOption(new Option('--workdir <dir>', 'the workdir root whose sessions @N counts'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((what: string | undefined, flags: Omit<ChartFlags, 'what'>) =>
      shell.run('chart', { ...flags, ...(what === undefined ? {} : { what }) }, async (flags, context) =>
        (await import('./chart-draw.js')).drawCharts(flags, context),
      ),
    );
}

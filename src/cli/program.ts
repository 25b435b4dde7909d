import { Command, CommanderError } from 'commander';
import { type MurError, toMurError } from '../errors/index.js';
import { murVersion } from '../version.js';
import { enabledBetas } from './beta-gate.js';
import type { Act, CommonFlags, Shell } from './command.js';
import { commandRows } from './commands.js';
import type { CliContext, ExitStatus } from './context.js';
import { welcome } from './help.js';
import { errorText, outputFailure } from './output.js';
import { prepare } from './prepare.js';
import { styleFor, wantsColor } from './style.js';

/** Runs a command that was understood; a test may look at it instead. */
export type Runner = (command: string, flags: CommonFlags, run: () => Promise<ExitStatus>) => Promise<ExitStatus>;

/**
 * Parses `argv` (without node and script), runs the command it names and returns the exit status. Prints usage errors itself.
 * Loads the module of that command only.
 */
export async function runProgram(
  argv: readonly string[],
  context: CliContext,
  runner: Runner = (_command, _flags, run) => run(),
): Promise<ExitStatus> {
  const status = await runLine(argv, context, runner);
  const { stdout } = context;
  await stdout.flush();
  // Results that could not be written are not results, unless the command failed for a reason of its own.
  return status === 0 && stdout.failure !== undefined ? fail(outputFailure(stdout.failure), context) : status;
}

async function runLine(argv: readonly string[], context: CliContext, runner: Runner): Promise<ExitStatus> {
  const { stdout, env } = context;
  const words = argv.filter((word) => word !== '--no-color');
  const noColor = words.length < argv.length;
  if (words.length === 0) {
    stdout.write(welcome(murVersion, styleFor(wantsColor({ isTerminal: stdout.isTerminal, env, noColor }))));
    return 0;
  }
  let status: ExitStatus = 0;
  const program = new Command('mur').description('Runs packaged AI agents in isolation, from one manifest.');
  program.option('--no-color', 'no colours (NO_COLOR works too)');
  // What follows a command is its own: `mur build --skill x --version 1.2.0` asks for no version of mur.
  program.enablePositionalOptions();
  const shell: Shell = {
    async run<F extends CommonFlags>(command: string, given: F, act: Act<F>) {
      // `--no-color` may also stand before the command.
      const flags = { ...given, color: given.color && program.opts().color };
      status = await runner(command, flags, () => act(flags, context));
    },
  };
  try {
    const line = words[0] === 'help' ? helpAsFlag(words.slice(1)) : argv;
    await addCommands(program, line, shell, context);
    prepare(program, context);
    await program.parseAsync([...line], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) return fail(toMurError(error), context, noColor);
    status = error.exitCode === 0 ? 0 : 2;
  }
  return status;
}

/** The commands of the table: the one that `line` names with its flags, the others with their summary only. */
async function addCommands(
  program: Command,
  line: readonly string[],
  shell: Shell,
  context: CliContext,
): Promise<void> {
  const named = line.find((word) => !word.startsWith('-'));
  // A list shows the features that are enabled; a config file that cannot be used hides them and ends no help.
  const enabled = commandRows.some(({ name }) => name === named)
    ? new Set<string>()
    : await enabledBetas(context).catch(() => new Set<string>());
  for (const { name, summary, beta, hidden, load } of commandRows) {
    const command = name === named ? (await load()).command(shell) : new Command(name);
    const isHidden = hidden === true || (beta !== undefined && !enabled.has(beta));
    program.addCommand(command.summary(summary), { hidden: isHidden });
  }
}

function fail(error: MurError, { stderr, env }: CliContext, noColor = false): ExitStatus {
  stderr.write(errorText(error, styleFor(wantsColor({ isTerminal: stderr.isTerminal, env, noColor }))));
  return error.exit;
}

/** `mur help config set` is `mur config set --help`, so that an unknown name gets the same answer in both. */
function helpAsFlag(names: readonly string[]): readonly string[] {
  const isKnown = names.length === 0 || commandRows.some(({ name }) => name === names[0]);
  return isKnown ? [...names, '--help'] : names;
}

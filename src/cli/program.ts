import { Command, CommanderError } from 'commander';
import { type MurError, toMurError } from '../errors/index.js';
import { murVersion } from '../version.js';
import { type ChartFlags, chartCommand } from './chart.js';
import type { CliContext, ExitStatus } from './context.js';
import { welcome } from './help.js';
import { type InspectFlags, inspectCommand } from './inspect.js';
import { errorText, outputFailure } from './output.js';
import { type PsFlags, psCommand } from './ps.js';
import { type ReplayFlags, replayCommand } from './replay.js';
import { type RunFlags, runCommand } from './run.js';
import { type StopFlags, stopCommand } from './stop.js';
import { styleFor, wantsColor } from './style.js';
import { type TokenFlags, tokenCommand } from './token.js';

/** What each command does once its flags are understood. Loaded late, so that `mur --help` stays instant. */
export interface Actions {
  run(flags: RunFlags): Promise<ExitStatus>;
  ps(flags: PsFlags): Promise<ExitStatus>;
  stop(flags: StopFlags): Promise<ExitStatus>;
  token(flags: TokenFlags): Promise<ExitStatus>;
  /** `inspect` runs `mur inspect` on a session. */
  replay(flags: ReplayFlags, inspect: (address: string) => Promise<ExitStatus>): Promise<ExitStatus>;
  chart(flags: ChartFlags): Promise<ExitStatus>;
  inspect(flags: InspectFlags): Promise<ExitStatus>;
}

/** Parses `argv` (without node and script), runs the command it names and returns the exit status. Prints usage errors itself. */
export async function runProgram(argv: readonly string[], context: CliContext, actions: Actions): Promise<ExitStatus> {
  const { stdout, stderr, env } = context;
  let status: ExitStatus = 0;
  const settle = (settled: ExitStatus) => {
    status = settled;
  };
  const program = new Command('mur').description('Runs packaged AI agents in isolation, from one manifest.');
  program.option('--no-color', 'no colours (NO_COLOR works too)');
  program.helpCommand('help [command]', 'explain a command');
  /** `--no-color` may also stand before the command. */
  const colored = <T extends { readonly color: boolean }>(flags: T): T => ({
    ...flags,
    color: flags.color && program.opts().color,
  });
  program.addCommand(runCommand((flags) => actions.run(colored(flags)), settle));
  program.addCommand(psCommand((flags) => actions.ps(colored(flags)), settle));
  program.addCommand(stopCommand((flags) => actions.stop(colored(flags)), settle));
  program.addCommand(tokenCommand((flags) => actions.token(colored(flags)), settle));
  const inspect = (address: string) => runProgram(['inspect', address], context, actions);
  program.addCommand(replayCommand((flags) => actions.replay(colored(flags), inspect), settle));
  program.addCommand(chartCommand((flags) => actions.chart(colored(flags)), settle));
  program.addCommand(inspectCommand((flags) => actions.inspect(colored(flags)), settle));
  for (const command of [program, ...program.commands]) {
    command
      .version(`mur ${murVersion}`, '--version', 'print the version')
      .helpOption('-h, --help', 'explain this command')
      .showHelpAfterError(
        `\nusage: ${usageOf(command)}\nSee: mur help${command === program ? '' : ` ${command.name()}`}`,
      )
      .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
      .exitOverride();
  }
  const words = argv.filter((word) => word !== '--no-color');
  if (words.length === 0) {
    const noColor = argv.length > 0;
    stdout.write(welcome(murVersion, styleFor(wantsColor({ isTerminal: stdout.isTerminal, env, noColor }))));
    return 0;
  }
  try {
    await program.parseAsync(helpTarget(argv, program), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) return fail(toMurError(error), context, words.length < argv.length);
    status = error.exitCode === 0 ? 0 : 2;
  }
  await stdout.flush();
  // Results that could not be written are not results, unless the command failed for a reason of its own.
  return status === 0 && stdout.failure !== undefined ? fail(outputFailure(stdout.failure), context) : status;
}

function fail(error: MurError, { stderr, env }: CliContext, noColor = false): ExitStatus {
  stderr.write(errorText(error, styleFor(wantsColor({ isTerminal: stderr.isTerminal, env, noColor }))));
  return error.exit;
}

/** `mur help nosuch` is answered as `mur nosuch` is: unknown, with a suggestion. */
function helpTarget(argv: readonly string[], program: Command): string[] {
  const [first, name] = argv;
  const isUnknown = name !== undefined && !program.commands.some((command) => command.name() === name);
  return first === 'help' && isUnknown ? [name] : [...argv];
}

function usageOf(command: Command): string {
  return command.parent === null ? 'mur [options] [command]' : `mur ${command.name()} ${command.usage()}`;
}

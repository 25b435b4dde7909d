import type { Command } from 'commander';
import { murVersion } from '../version.js';

/** Where help and usage errors go. */
interface Streams {
  readonly stdout: { write(text: string): void };
  readonly stderr: { write(text: string): void };
}

/** Gives `command` and everything below it what all commands have. */
export function prepare(command: Command, { stdout, stderr }: Streams): void {
  if (command.commands.length > 0) command.helpCommand('help [command]', 'explain a command');
  else if (!command.options.some(({ long }) => long === '--no-color')) {
    command.option('--no-color', 'no colours (NO_COLOR works too)');
  }
  // `mur build --skill` has a --version of its own.
  if (!command.options.some(({ long }) => long === '--version')) {
    command.version(`mur ${murVersion}`, '--version', 'print the version');
  }
  command
    .helpOption('-h, --help', 'explain this command')
    .showHelpAfterError(`\nusage: ${usageOf(command)}\nSee: mur help${pathOf(command)}`)
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(plainError(text)),
    })
    .exitOverride();
  for (const below of command.commands) prepare(below, { stdout, stderr });
}

/** The parser's words for a wrong argument name a part of it that nobody typed. */
function plainError(text: string): string {
  return text.replace(/command-argument value ('.*?') is invalid for argument '(.*?)'\./, '$1 is not a valid $2.');
}

/** ` config set`; nothing for `mur` itself. */
function pathOf(command: Command): string {
  return command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`;
}

function usageOf(command: Command): string {
  return command.parent === null ? 'mur [options] [command]' : `mur${pathOf(command)} ${command.usage()}`;
}

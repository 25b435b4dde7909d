/**
 * What a shell may offer at each place of a command line, taken from the commands themselves. Not the scripts: those are
 * completion-bash.ts, completion-zsh.ts and completion-fish.ts.
 */
import type { Argument, Command, Option } from 'commander';
import { completionValues } from './completion-values.js';

/** What stands at one place. `sessions` are asked of `mur` when they are wanted. */
export type Values =
  | { readonly kind: 'none' | 'file' | 'directory' | 'session' | 'session-or-file' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

export interface CompletedFlag {
  readonly long: string;
  readonly short?: string;
  readonly text: string;
  /** Absent for a flag without a value. */
  readonly values?: Values;
}

export interface CompletedArgument {
  readonly name: string;
  readonly isLast: boolean;
  readonly values: Values;
}

export interface Completed {
  /** ``, `run`, `config set`. */
  readonly path: string;
  readonly text: string;
  readonly flags: readonly CompletedFlag[];
  readonly arguments: readonly CompletedArgument[];
  /** Names and summaries of the commands below. */
  readonly below: readonly { readonly name: string; readonly text: string }[];
}

/** `program` and every visible command below it, parents first. Commands must have been given what all have (prepare.ts). */
export function completedCommands(program: Command): readonly Completed[] {
  return describe(program, '');
}

function describe(command: Command, path: string): readonly Completed[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command);
  const names = below.map((each) => each.name()).filter((name) => name !== 'help');
  const own: Completed = {
    path,
    text: command.summary(),
    flags: help.visibleOptions(command).flatMap((option) => flagOf(option, path)),
    arguments: command.registeredArguments.map((argument) => argumentOf(argument, path)),
    below: below.map((each) => ({ name: each.name(), text: oneSentence(each.summary() || each.description()) })),
  };
  const helpBelow: Completed[] = below.some((each) => each.name() === 'help')
    ? [
        {
          path: `${path} help`.trim(),
          text: 'explain a command',
          flags: [],
          arguments: [{ name: 'command', isLast: true, values: { kind: 'words', words: names } }],
          below: [],
        },
      ]
    : [];
  const others = below.filter((each) => each.name() !== 'help');
  return [own, ...others.flatMap((each) => describe(each, `${path} ${each.name()}`.trim())), ...helpBelow];
}

function flagOf(option: Option, path: string): CompletedFlag[] {
  if (option.long === undefined || option.long === null) return [];
  const placeholder = /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1];
  const values =
    placeholder === undefined
      ? undefined
      : valuesOf(`${path} ${option.long}`.trim(), option.argChoices, placeholder.replace('...', ''));
  return [
    {
      long: option.long,
      ...(option.short ? { short: option.short } : {}),
      text: oneSentence(option.description),
      ...(values === undefined ? {} : { values }),
    },
  ];
}

function argumentOf(argument: Argument, path: string): CompletedArgument {
  const name = argument.name();
  return { name, isLast: argument.variadic, values: valuesOf(`${path} <${name}>`, argument.argChoices, name) };
}

/** Values that are named, else what the placeholder stands for: a command says `<dir>` where it wants a directory. */
function valuesOf(place: string, choices: readonly string[] | undefined, placeholder: string): Values {
  if (choices !== undefined) return { kind: 'words', words: choices };
  const named = completionValues[place];
  if (named !== undefined) return typeof named === 'string' ? { kind: named } : { kind: 'words', words: named };
  if (/^(dir|directory|folder)$/.test(placeholder)) return { kind: 'directory' };
  if (/path|file|zip/i.test(placeholder)) return { kind: 'file' };
  if (placeholder === 'address') return { kind: 'session' };
  return placeholder === 'session' ? { kind: 'session-or-file' } : { kind: 'none' };
}

/** A text that may stand inside quotes of any shell. */
function oneSentence(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

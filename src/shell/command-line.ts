import { splitWords } from './split.js';

const shells: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'fish', 'dash', 'ksh']);

/** True for a program that takes a whole command line behind `-c`. Exact, and case counts. */
export function isShell(name: string): boolean {
  return shells.has(name);
}

/** One program to run and with what. */
export interface CommandLine {
  /** As it was invoked. */
  readonly name: string;
  readonly args: readonly string[];
  /** What was asked for: a command line, or arguments. */
  readonly command: string;
}

export type CommandReading =
  | { readonly ok: true; readonly line: CommandLine }
  | { readonly ok: false; readonly reason: string };

/** The command in the input of a shell tool call, or why there is none (spec/shell.md 3). */
export function readCommand(name: string, data: string | undefined): CommandReading {
  if (data === undefined) return unread('the call has no data; expected JSON with a "command"');
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    return unread(`the input must be valid JSON: ${(error as Error).message}`);
  }
  const command = typeof value === 'object' && value !== null ? (value as { command?: unknown }).command : undefined;
  if (typeof command !== 'string' || command.trim() === '') {
    return unread('the input needs "command": a string that is not empty');
  }
  const args = isShell(name) ? ['-c', command] : splitWords(command);
  return { ok: true, line: { name, args, command } };
}

/** The program and arguments of one line of a plan; `undefined` when the line is empty. An author writes `-c` himself. */
export function planLine(line: string): CommandLine | undefined {
  const [name, ...args] = splitWords(line);
  return name === undefined ? undefined : { name, args, command: line };
}

/** How a command is shown to whoever asked for it. */
export function shownLine({ name, command }: CommandLine): string {
  return isShell(name) ? command : `${name} ${command}`;
}

/** Why `name` may not be started; `undefined` when it may. Only the very name counts: `/bin/bash` is not `bash`. */
export function allowProblem(name: string, allow: readonly string[]): string | undefined {
  if (allow.includes(name)) return undefined;
  return `'${name}' is not in capabilities.shell.allow of this capsule's manifest`;
}

function unread(reason: string): CommandReading {
  return { ok: false, reason };
}

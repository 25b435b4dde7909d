import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';
import { type DoorFlags, doorHelp } from './door-address.js';

/** What `mur send` was asked. */
export interface SendFlags extends CommonFlags, DoorFlags {
  readonly text: string;
  readonly wait?: boolean;
  readonly stream?: boolean;
  readonly context?: string;
  readonly json?: boolean;
}

const examples = `${doorHelp}

Examples:
  mur send @1 "Why did the pump stop?"           returns once the task is taken; mur watch shows the rest
  mur send @1 "Why did the pump stop?" --wait    prints the answer, and nothing else, on stdout
  mur send @1 "Why did the pump stop?" --stream  shows states, tool results and text as they come
  mur send @1 "And before that?" --context ctx_0199... --wait
  mur send --url localhost:4242 "hello" --json
  git diff | mur send @1 - --wait                what standard input says

A task that waits for you is answered by sending the answer: while one waits, the next message is its answer, also with
--context. mur watch shows what it asks. Ctrl-C ends the wait, never the task: see mur cancel.
Exit status: 0 the task was taken, and completed or asks you where you waited; 1 it was not; 2 wrong usage.`;

/** `mur send`. */
export function command(shell: Shell): Command {
  const send = new Command('send')
    .description('Sends a message to a running session.')
    .argument('<address-or-text>', 'which session; with --url, the message')
    .argument('[text]', 'the message; - reads standard input')
    .addOption(new Option('--url <host:port>', 'the door at this address instead of a session of this machine'))
    .addOption(new Option('--wait', 'until the task has ended or asks something').conflicts('stream'))
    .addOption(new Option('--stream', 'the same, showing everything on the way'))
    .addOption(new Option('--context <id>', 'go on with this conversation'))
    .addOption(new Option('--json', 'the task as one JSON line; with --stream, every frame'))
    .addHelpText('after', examples)
    .allowExcessArguments(false);
  return send.action(async (first: string, second: string | undefined, flags: Omit<SendFlags, 'text'>) => {
    if (flags.url === undefined && second === undefined) send.error("error: missing required argument 'text'");
    if (flags.url !== undefined && second !== undefined) {
      send.error("error: an address cannot be used with option '--url'");
    }
    const named = second === undefined ? { text: first } : { address: first, text: second };
    await shell.run('send', { ...flags, ...named }, async (flags, context) =>
      (await import('./send-message.js')).send(flags, context),
    );
  });
}

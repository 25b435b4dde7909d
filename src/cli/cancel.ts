import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';
import { type DoorFlags, doorHelp } from './door-address.js';
import { oneLine } from './safe-text.js';

/** What `mur cancel` was asked. */
export interface CancelFlags extends CommonFlags, DoorFlags {
  readonly task: string;
  readonly json?: boolean;
}

const examples = `${doorHelp}

Examples:
  mur cancel @1 tsk_0199c4e2f1b7712a9d3e4f5061728394
  mur cancel --url localhost:4242 tsk_0199c4e2f1b7712a9d3e4f5061728394 --json

A task that ended already is reported as it ended. What the task started in the background goes on, and is listed.
Exit status: 0 the task has ended, 1 it could not be canceled, 2 wrong usage.`;

/** `mur cancel`. */
export function command(shell: Shell): Command {
  const cancel = new Command('cancel')
    .description('Cancels one task of a running session. The session goes on.')
    .argument('<address-or-task>', 'which session; with --url, the task')
    .argument('[task]', 'the task, as mur send printed it')
    .addOption(new Option('--url <host:port>', 'the door at this address instead of a session of this machine'))
    .addOption(new Option('--json', 'one JSON line on stdout'))
    .addHelpText('after', examples)
    .allowExcessArguments(false);
  return cancel.action(async (first: string, second: string | undefined, flags: Omit<CancelFlags, 'task'>) => {
    if (flags.url === undefined && second === undefined)
      cancel.error(
        first.startsWith('tsk_')
          ? `error: missing the session of the task, such as: mur cancel @1 ${oneLine(first)}`
          : "error: missing required argument 'task'",
      );
    if (flags.url !== undefined && second !== undefined) {
      cancel.error("error: an address cannot be used with option '--url'");
    }
    const named = second === undefined ? { task: first } : { address: first, task: second };
    await shell.run('cancel', { ...flags, ...named }, async (flags, context) =>
      (await import('./cancel-task.js')).cancel(flags, context),
    );
  });
}

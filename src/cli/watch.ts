import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';
import { type DoorFlags, doorHelp } from './door-address.js';

/** What `mur watch` was asked. */
export interface WatchFlags extends CommonFlags, DoorFlags {
  readonly json?: boolean;
}

const examples = `${doorHelp}

Examples:
  mur watch                    the newest session, from its first event that is still held
  mur watch 8394 --json        every frame as a JSON line
  MURMUR_DOOR_TOKEN=... mur watch --url host:4242

Ctrl-C ends the watch, never the session.
Exit status: 0 the session closed, or you left; 1 the connection was lost; 2 wrong usage.`;

/** `mur watch`. */
export function command(shell: Shell): Command {
  const watch = new Command('watch')
    .description('Shows what a running session does, as it does it: states, tool results, text.')
    .argument('[address]', 'which session (default: "@1")')
    .addOption(new Option('--url <host:port>', 'the door at this address instead of a session of this machine'))
    .addOption(new Option('--json', 'every frame as a JSON line on stdout'))
    .addHelpText('after', examples)
    .allowExcessArguments(false);
  return watch.action(async (address: string | undefined, flags: Omit<WatchFlags, 'address'>) => {
    if (address !== undefined && flags.url !== undefined) {
      watch.error("error: an address cannot be used with option '--url'");
    }
    await shell.run('watch', { ...flags, ...(address === undefined ? {} : { address }) }, async (flags, context) =>
      (await import('./watch-session.js')).watch(flags, context),
    );
  });
}

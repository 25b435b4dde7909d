import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur inspect` as the parser leaves them. */
export interface InspectFlags extends CommonFlags {
  readonly addresses: readonly string[];
  readonly all?: boolean;
  /** False under `--no-open`. */
  readonly open: boolean;
  readonly port: number;
  readonly json?: boolean;
  readonly bridge?: string;
}

const examples = `
Sessions:
  (none)                       every session that runs, and those that start later; when none runs, the last one
  @1, @2, ...                  the newest session, the one before it
  ses_0199...                  a session id, or four or more characters of its end
  a folder, a .murbundle       the records of a session, or a bundle somebody exported

Examples:
  mur run --inspect            run a capsule and watch it from its first step
  mur inspect                  open the page for whatever runs
  mur inspect 8394             look at one session again, also when it has ended
  mur inspect --json | jq .    the frames behind the page, one per line

The page only shows: nothing in it can change what a session does. Ctrl-C ends it; the sessions go on.
With --json it ends after the last frame once every session shown has ended, and at a frame that nobody reads any more; while
a session runs, and while none has started, it waits for the next frame.`;

/** `mur inspect`. */
export function command(shell: Shell): Command {
  return new Command('inspect')
    .description('Serves one page on this machine that shows sessions, running and ended, and opens it.')
    .argument('[session...]', 'which sessions')
    .addOption(new Option('--all', 'also the sessions that have ended'))
    .addOption(new Option('--no-open', 'print the address of the page instead of opening it'))
    .addOption(new Option('--port <number>', 'port of the page').argParser(port).default(0, 'any'))
    .addOption(new Option('--json', 'print frames instead of serving a page').conflicts('bridge'))
    .addOption(new Option('--bridge <url>', 'send the charts to a Stately inspector at this websocket'))
    .addHelpText('after', examples)
    .action((addresses: string[], flags: Omit<InspectFlags, 'addresses'>) =>
      shell.run('inspect', { ...flags, addresses }, async (flags, context) =>
        (await import('./inspect-sessions.js')).inspectSessions(flags, context),
      ),
    );
}

function port(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > 65_535) throw new InvalidArgumentError('It must be a port number: 0 to 65535.');
  return number;
}

import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur stop` as the parser leaves them. */
export interface StopFlags extends CommonFlags {
  /** Absent under `--all`. */
  readonly address?: string;
  readonly all?: boolean;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly timeout: number;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

const defaultTimeoutMs = 10_000;
const longestTimeoutMs = 24 * 3_600_000;

const examples = `
Addresses:
  @1, @2, ...                  the newest session, the one before it, as mur ps lists them
  ses_0199...                  a session id, or four or more characters of its end

Examples:
  mur stop @1                  ask it, then SIGTERM, and SIGKILL after 10 seconds
  mur stop 8394 --timeout 0    SIGKILL right after SIGTERM
  mur stop --all               every session that runs on this machine

Exit status: 0 every named session is gone, 1 one could not be ended, 2 wrong usage.`;

/** `mur stop`. */
export function command(shell: Shell): Command {
  const stop = new Command('stop')
    .description('Ends a session: asks it to stop, then SIGTERM, then SIGKILL. Returns once its process is gone.')
    .argument('[address]', 'which session')
    .addOption(new Option('--all', 'every session that runs on this machine'))
    .addOption(
      new Option('--timeout <seconds>', 'time between SIGTERM and SIGKILL')
        .argParser(timeout)
        .default(defaultTimeoutMs, '10'),
    )
    .addOption(new Option('--json', 'one JSON line per session on stdout'))
    .addOption(new Option('-v, --verbose', 'say how the signal was delivered'))
    .addHelpText('after', examples)
    .allowExcessArguments(false);
  return stop.action(async (address: string | undefined, flags: Omit<StopFlags, 'address'>) => {
    if (address === undefined && flags.all !== true) stop.error("error: missing required argument 'address'");
    if (address !== undefined && flags.all === true) stop.error("error: 'address' cannot be used with option '--all'");
    await shell.run('stop', { ...flags, ...(address === undefined ? {} : { address }) }, async (flags, context) =>
      (await import('./stop-sessions.js')).stopSessions(flags, context),
    );
  });
}

function timeout(text: string): number {
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Number.NaN;
  if (!(ms <= longestTimeoutMs)) throw new InvalidArgumentError('It must be a number of seconds from 0 to 86400.');
  return ms;
}

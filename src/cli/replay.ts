import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur replay` as the parser leaves them. */
export interface ReplayFlags extends CommonFlags {
  /** `@N`, a session id, the end of one, or a path. */
  readonly session: string;
  readonly at?: number;
  readonly verify?: boolean;
  readonly ui?: boolean;
  readonly json?: boolean;
  /** Path of the bundle to write. */
  readonly export?: string;
  readonly force?: boolean;
  readonly workdir?: string;
}

const examples = `
Examples:
  mur replay                       the newest session of this project, event by event
  mur replay @2 --at 17            where everything stood after event 17
  mur replay --verify              does this build still do what the session did?
  mur replay --export pump.murbundle   one file to send to somebody, without secrets

A bundle holds the manifest, the event log, the trace and the messages of the session. Request and response bodies, which a session
keeps verbatim under trace.capture: content, stay on this machine; the bundle says how many there are.

A replay folds the state charts over the events they got. It calls no model, runs no tool and touches no file.

Exit status: 0 done, 1 an error or a replay that does something else than the session did, 2 wrong usage.`;

/** `mur replay`. */
export function command(shell: Shell): Command {
  return new Command('replay')
    .description(
      'Goes through a recorded session again, event by event, without running anything of it; one that still runs is shown as far as it is.',
    )
    .addArgument(new Argument('[session]', '@N, a session id, the end of one, or a path').default('@1'))
    .addOption(new Option('--at <event>', 'everything as it stood after this event').argParser(eventNumber))
    .addOption(new Option('--verify', 'compare every step with the recording').conflicts(['at', 'ui', 'export']))
    .addOption(new Option('--ui', 'show it in the browser, like mur inspect').conflicts(['at', 'json', 'export']))
    .addOption(new Option('--json', 'JSON on stdout: a line per event, or one value with --at and --verify'))
    .addOption(
      new Option('--export <file>', 'write a bundle to send to somebody, without secrets').conflicts(['at', 'json']),
    )
    .addOption(new Option('--force', 'replay although the charts have changed since'))
    .addOption(new Option('--workdir <dir>', 'the workdir root whose sessions @N counts'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((session: string, flags: Omit<ReplayFlags, 'session'>) =>
      shell.run('replay', { ...flags, session }, async (flags, context) => {
        const { replaySession } = await import('./replay-session.js');
        return replaySession(flags, context, async (address) => {
          const { inspectSessions } = await import('./inspect-sessions.js');
          return inspectSessions({ addresses: [address], open: true, port: 0, color: flags.color }, context);
        });
      }),
    );
}

function eventNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be the number of an event: 0, 1, 2, ...');
  return Number(text);
}

import { Command, Option } from 'commander';
import type { ExitStatus } from './context.js';

/** What `mur token` was asked. */
export interface TokenFlags {
  readonly address: string;
  readonly credential: string;
  /** False under `--no-color`. */
  readonly color: boolean;
}

const examples = `
Examples:
  curl -H "Authorization: Bearer $(mur token)" http://localhost:4242/ ...
  mur token @2 --credential reader

The token is read from the running record, which only you can read. It is printed nowhere else.`;

/** `mur token`. */
export function tokenCommand(
  act: (flags: TokenFlags) => Promise<ExitStatus>,
  settle: (status: ExitStatus) => void,
): Command {
  return new Command('token')
    .summary('print a door token of a running session')
    .description('Prints one token of the door of a running session, and nothing else.')
    .argument('[address]', 'which session: @N, an id, or the end of one', '@1')
    .addOption(new Option('--credential <name>', 'which token').default('operator'))
    .addOption(new Option('--no-color', 'no colours (NO_COLOR works too)'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action(async (address: string, flags: Omit<TokenFlags, 'address'>) => settle(await act({ ...flags, address })));
}

import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** What `mur token` was asked. */
export interface TokenFlags extends CommonFlags {
  readonly address: string;
  readonly credential: string;
}

const examples = `
Examples:
  curl -H "Authorization: Bearer $(mur token)" http://localhost:4242/ ...
  mur token @2 --credential reader

The token is read from the running record, which only you can read. It is printed nowhere else.`;

/** `mur token`. */
export function command(shell: Shell): Command {
  return new Command('token')
    .description('Prints one token of the door of a running session, and nothing else.')
    .argument('[address]', 'which session: @N, an id, or the end of one', '@1')
    .addOption(new Option('--credential <name>', 'which token').default('operator'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((address: string, flags: Omit<TokenFlags, 'address'>) =>
      shell.run('token', { ...flags, address }, async (flags, context) =>
        (await import('./token-print.js')).printToken(flags, context),
      ),
    );
}

import { Argument, Command, Option } from 'commander';
import { type SchemaName, schemaNames } from '../reference/names.js';
import type { CommonFlags, Shell } from './command.js';

/** What `mur schema` was asked. */
export interface SchemaFlags extends CommonFlags {
  readonly name: SchemaName;
}

const examples = `
Examples:
  mur schema > murmur.schema.json           then, as the first line of murmur.yaml:
                                            # yaml-language-server: $schema=./murmur.schema.json
  mur schema artifact                       murmur.yaml of a tool, driver, hook or skill
  mur schema config | jq .properties        config.yaml
  mur schema lock                           murmur.lock

An editor then completes keys, explains them and marks wrong values. mur itself checks more: mur doctor.`;

/** `mur schema`. */
export function command(shell: Shell): Command {
  return new Command('schema')
    .description('Prints the JSON Schema (draft 2020-12) of one kind of file.')
    .addArgument(new Argument('[file]', 'which kind of file').choices(schemaNames).default('capsule'))
    .addOption(new Option('--json', 'JSON, which it always is'))
    .addOption(new Option('--no-color', 'no colours (NO_COLOR works too)'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((name: SchemaName, flags: CommonFlags) =>
      shell.run('schema', { ...flags, name }, async ({ name }: SchemaFlags, { stdout }) => {
        const { jsonSchemaOf } = await import('../reference/index.js');
        stdout.write(`${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`);
        return 0;
      }),
    );
}

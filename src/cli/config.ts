import { Argument, Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur config set` as the parser leaves them. */
export interface ConfigSetFlags extends CommonFlags {
  readonly key: string;
  /** `-` stands for what comes on standard input. */
  readonly value: string;
  readonly global?: boolean;
  readonly json?: boolean;
}

/** Those of `unset`. */
export interface ConfigUnsetFlags extends CommonFlags {
  readonly key: string;
  readonly global?: boolean;
  readonly json?: boolean;
}

/** Those of `get`, `list` and `path`. */
export interface ConfigShowFlags extends CommonFlags {
  readonly global?: boolean;
  readonly json?: boolean;
}

const examples = `
Files:
  ~/.murmur/config.yaml        for you, on this machine; the only one that may hold keys
  ./.murmur/config.yaml        for the project in this folder

Examples:
  mur config list              everything in effect, and which file says it
  mur config set -g inference.model claude-haiku-4-5
  mur config set -g credentials.ANTHROPIC_API_KEY - < key.txt
  mur config unset -g credentials.ANTHROPIC_API_KEY

Exit status: 0 done, 1 an error or a key that is not set, 2 wrong usage.`;

const setExamples = `
Keys:
  registry.default  registry.index_url
  inference.provider  inference.model  inference.endpoint  inference.api_key
  credentials.<NAME>           with --global only

Examples:
  mur config set registry.default internal
  mur config set -g inference.provider anthropic
  mur config set -g credentials.ANTHROPIC_API_KEY - < key.txt    keeps the key out of the history of your shell

Comments and the order of the file stay. A session that runs takes a new key with its next request.`;

const unsetExamples = `
Examples:
  mur config unset inference.model
  mur config unset -g credentials.ANTHROPIC_API_KEY

Comments and the order of the file stay. A value that the file does not set is refused; mur config list says which file sets what.`;

/** `mur config`. */
export function command(shell: Shell): Command {
  return new Command('config')
    .description('Reads and changes the configuration files.')
    .addHelpText('after', examples)
    .addCommand(setCommand(shell))
    .addCommand(unsetCommand(shell))
    .addCommand(getCommand(shell))
    .addCommand(listCommand(shell))
    .addCommand(pathCommand(shell));
}

const json = () => new Option('--json', 'JSON on stdout');

function setCommand(shell: Shell): Command {
  return new Command('set')
    .summary('write one value into a configuration file')
    .description('Writes one value into the configuration file of this project, or with --global into yours.')
    .argument('<key>', 'which value, as in inference.model')
    .addArgument(new Argument('<value>', 'the text to write; - reads it from standard input'))
    .addOption(new Option('-g, --global', 'write ~/.murmur/config.yaml'))
    .addOption(json())
    .addHelpText('after', setExamples)
    .allowExcessArguments(false)
    .action((key: string, value: string, flags: Omit<ConfigSetFlags, 'key' | 'value'>) =>
      shell.run('config set', { ...flags, key, value }, async (flags, context) =>
        (await import('./config-set.js')).setConfig(flags, context),
      ),
    );
}

function unsetCommand(shell: Shell): Command {
  return new Command('unset')
    .summary('take one value out of a configuration file')
    .description('Takes one value out of the configuration file of this project, or with --global out of yours.')
    .argument('<key>', 'which value, as in inference.model')
    .addOption(new Option('-g, --global', 'change ~/.murmur/config.yaml'))
    .addOption(json())
    .addHelpText('after', unsetExamples)
    .allowExcessArguments(false)
    .action((key: string, flags: Omit<ConfigUnsetFlags, 'key'>) =>
      shell.run('config unset', { ...flags, key }, async (flags, context) =>
        (await import('./config-unset.js')).unsetConfig(flags, context),
      ),
    );
}

function getCommand(shell: Shell): Command {
  return new Command('get')
    .summary('print one value that is in effect')
    .description('Prints one value that is in effect. Of a key or token it says only that it is set.')
    .argument('<key>', 'which value, as mur config list names it')
    .addOption(json())
    .addHelpText(
      'after',
      '\nExamples:\n  mur config get registry.default\n  mur config get credentials.ANTHROPIC_API_KEY',
    )
    .allowExcessArguments(false)
    .action((key: string, flags: ConfigShowFlags) =>
      shell.run('config get', { ...flags, key }, async (flags, context) =>
        (await import('./config-show.js')).getConfig(flags, context),
      ),
    );
}

function listCommand(shell: Shell): Command {
  return new Command('list')
    .summary('print everything that is in effect, and which file says it')
    .description('Prints every value that is in effect and which file says it. Keys and tokens are never shown.')
    .addOption(json())
    .addHelpText('after', '\nExamples:\n  mur config list\n  mur config list --json')
    .allowExcessArguments(false)
    .action((flags: ConfigShowFlags) =>
      shell.run('config list', flags, async (flags, context) =>
        (await import('./config-show.js')).listConfig(flags, context),
      ),
    );
}

function pathCommand(shell: Shell): Command {
  return new Command('path')
    .summary('print where the configuration files are')
    .description('Prints where the configuration files are, also when they do not exist.')
    .addOption(new Option('-g, --global', 'only ~/.murmur/config.yaml'))
    .addOption(json())
    .addHelpText('after', '\nExamples:\n  mur config path\n  "$EDITOR" "$(mur config path -g)"')
    .allowExcessArguments(false)
    .action((flags: ConfigShowFlags) =>
      shell.run('config path', flags, async (flags, context) =>
        (await import('./config-show.js')).showConfigPaths(flags, context),
      ),
    );
}

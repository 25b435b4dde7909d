import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** What `mur search` was asked. */
export interface SearchFlags extends CommonFlags {
  readonly query: string;
  readonly registry?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const examples = `
Examples:
  mur search csv                              what the default index has, best match first
  mur search git --limit 3
  mur search git --registry local             what is installed here already
  mur search git --registry https://example.com/artifacts-index.json
  mur search git --json                       one JSON array, for scripts

The words are looked for in names, descriptions and tags, whatever the case. registry.index_url in
~/.murmur/config.yaml names another default index. mur install <name>@<version> installs what was found.`;

/** `mur search`. */
export function command(shell: Shell): Command {
  return new Command('search')
    .description('Looks for artifacts in an index.')
    .argument('<query>', 'part of a name, a description or a tag')
    .addOption(new Option('--registry <place>', 'an index URL, a registry URL, local, or an absolute path'))
    .addOption(new Option('--limit <number>', 'most rows').argParser(positive).default(10))
    .addOption(new Option('--json', 'one JSON array on stdout'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((query: string, flags: Omit<SearchFlags, 'query'>) =>
      shell.run('search', { ...flags, query }, async (flags, context) =>
        (await import('./search-index.js')).searchArtifacts(flags, context),
      ),
    );
}

function positive(text: string): number {
  const number = Number(text);
  if (/^\d{1,6}$/.test(text) && number > 0) return number;
  throw new InvalidArgumentError('expected a whole number above zero');
}

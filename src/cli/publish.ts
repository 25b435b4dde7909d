import { Command, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';

/** What `mur publish` was asked. */
export interface PublishFlags extends CommonFlags {
  readonly path?: string;
  readonly registry?: string;
  readonly platform?: string;
  readonly json?: boolean;
}

const examples = `
Examples:
  mur publish                               ./<name>-<version>.mur.zip, as mur build writes it
  mur publish dist/my-tool-1.0.0.mur.zip
  mur publish --registry https://artifacts.example.com
  mur publish --platform darwin-aarch64     a native build for another machine than this one

Without --registry, registry: in murmur.yaml says where; without that, the artifact goes into ~/.murmur/artifacts,
where every project of yours finds it. A remote registry needs NEXUS_API_KEY. A published version stays as it is.`;

/** `mur publish`. */
export function command(shell: Shell): Command {
  return new Command('publish')
    .description('Publishes a built artifact to a registry.')
    .argument('[path]', 'the .mur.zip; default: the one mur build writes in this folder')
    .addOption(new Option('--registry <place>', 'a registry URL, or local'))
    .addOption(new Option('--platform <os-arch>', 'publish it as the native variant for this platform'))
    .addOption(new Option('--json', 'one JSON object on stdout'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((path: string | undefined, flags: Omit<PublishFlags, 'path'>) =>
      shell.run('publish', { ...flags, ...(path === undefined ? {} : { path }) }, async (flags, context) =>
        (await import('./publish-artifact.js')).publishArtifact(flags, context),
      ),
    );
}

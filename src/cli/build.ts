import { Command, Option } from 'commander';
import { murVersion } from '../version.js';
import type { CommonFlags, Shell } from './command.js';

/** What `mur build` was asked. */
export interface BuildFlags extends CommonFlags {
  readonly source?: string;
  readonly output?: string;
  /** A name, a path, or true for the flag alone. */
  readonly skill?: string | true;
  readonly version?: string;
  readonly summary?: string;
  readonly json?: boolean;
}

/** As commander gives them: `--version` alone asks for the version of mur, as everywhere. */
type Parsed = Omit<BuildFlags, 'source' | 'version'> & { readonly version?: string | true };

const examples = `
Examples:
  mur build                        the artifact in this folder, to ./<name>-<version>.mur.zip
  mur build my-tool -o dist        another folder, into dist/
  mur build --json                 what was built, for scripts
  mur build --skill ./notes        a folder or zip with a SKILL.md, into this folder
  mur build --skill night-watch ./notes --version 1.2.0 --summary "How to keep watch"

When murmur.yaml says build: { source: src/main.ts }, that file is compiled to a WebAssembly component first. Types are removed,
not checked (npx tsc --noEmit does that). Everything happens on this machine; the same files give the same archive.

--skill packs the regular files beside SKILL.md, hidden ones too, and leaves out those that hold keys: .env, id_rsa and their like,
and files with a private key in them. It names each one it leaves out.`;

/** `mur build`. */
export function command(shell: Shell): Command {
  return new Command('build')
    .description('Packs an artifact into a .mur.zip; compiles its JavaScript or TypeScript source when it names one.')
    .argument('[source]', 'the folder that holds murmur.yaml; with --skill, the folder or zip of the skill')
    .addOption(new Option('-o, --output <path>', 'a folder, or a file that ends in .mur.zip').conflicts('skill'))
    .addOption(new Option('--skill [name]', 'pack plain files with a SKILL.md as a skill, under this name'))
    .addOption(new Option('--version [version]', 'with --skill: its version (0.1.0); alone: print the version'))
    .addOption(new Option('--summary <text>', 'with --skill: what it is for, in one line'))
    .addOption(new Option('--json', 'one JSON object on stdout'))
    .addHelpText('after', examples)
    .allowExcessArguments(false)
    .action((source: string | undefined, { version, ...flags }: Parsed, self: Command) => {
      if (version === true) {
        self.configureOutput().writeOut?.(`mur ${murVersion}\n`);
        return undefined;
      }
      const asked: BuildFlags = {
        ...flags,
        ...(source === undefined ? {} : { source }),
        ...(version === undefined ? {} : { version }),
      };
      const problem = usageProblem(asked);
      if (problem !== undefined) self.error(`error: ${problem}`, { exitCode: 2 });
      return shell.run('build', asked, async (flags, context) =>
        (await import('./build-artifact.js')).buildFromFlags(flags, context),
      );
    });
}

/** The path and name that `--skill` and the argument make together; a value that looks like a path is the path. */
export function skillTarget({ skill, source }: BuildFlags): { readonly path?: string; readonly name?: string } {
  const isPath = typeof skill === 'string' && (/[/\\]/.test(skill) || skill.startsWith('.'));
  if (isPath) return { path: skill };
  return { ...(source === undefined ? {} : { path: source }), ...(typeof skill === 'string' ? { name: skill } : {}) };
}

function usageProblem(flags: BuildFlags): string | undefined {
  if (flags.skill === undefined) {
    if (flags.version !== undefined) return "option '--version [version]' needs '--skill'";
    return flags.summary === undefined ? undefined : "option '--summary <text>' needs '--skill'";
  }
  const { path } = skillTarget(flags);
  if (path === undefined) return "option '--skill [name]' needs the folder or zip of the skill";
  return path === flags.skill && flags.source !== undefined ? 'two paths were given for one skill' : undefined;
}

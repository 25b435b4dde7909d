import { Command, InvalidArgumentError, Option } from 'commander';
import { type ContainmentClass, containmentClasses } from '../manifest/containment.js';
import type { CommonFlags, Shell } from './command.js';

/** The flags of `mur sandbox` as the parser leaves them. */
export interface SandboxFlags extends CommonFlags {
  readonly manifest?: string;
  readonly workdir?: string;
  readonly containment?: ContainmentClass;
  readonly allow: readonly string[];
  readonly network: readonly string[];
  readonly env: readonly string[];
  readonly workdirExec?: boolean;
  readonly unixSockets?: boolean;
  /** False under `--no-env-file`. */
  readonly envFile: boolean;
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

const text = `
Without --manifest the box is made for the command: this folder is its work folder, the programs it commonly needs can be run, and
there is no network. It is refused where the kernel here cannot hold it (class scoped), unless --containment says otherwise.
With --manifest it is the box that commands of that capsule's sessions get, and only programs of its shell.allow run. A session
without --workdir has an empty work folder; so has the box, and it is removed at the end.

Examples:
  mur sandbox -- npm test                                  in this folder, without network, away from your home
  mur sandbox --network api.example.com -- curl -sS https://api.example.com/
  mur sandbox --network localhost:8080 -- node client.js   a server of this machine
  mur sandbox --allow jq -- bash -c 'curl -h | jq .'       one more program
  mur sandbox --workdir-exec -- make                       programs of the work folder may run (class advisory)
  mur sandbox --unix-sockets --env CI -- python3 run.py    unix sockets, and a variable of yours
  mur sandbox --containment sealed -- bash                 a root of its own: nothing else of this machine is there
  mur sandbox --manifest agent/murmur.yaml --workdir notes -- bash -c 'ls; cat /etc/shadow'
  mur sandbox --manifest agent/murmur.yaml --no-env-file --explain        what that box gives; runs nothing
  mur sandbox --explain --json -- npm test                 what the box of a program gives
  mur sandbox --verbose -- curl http://intern.example/     says which connections were refused

In the box: HOME and the temporary folder are new and removed at the end; the environment is built new. The command has your
terminal, but does not control it: a shell has no job control (Ctrl-Z stops the whole box), and what opens /dev/tty, as prompts for
passwords do, or a terminal anew by /dev/stdout, fails. What you redirect into it or out of it, it has. Ctrl-C reaches the command,
SIGTERM ends it within five seconds, Ctrl-\\ at once; nothing of it is left behind.

Exit status: the command's own (128 + n: ended by signal n); 125 no box could be made, 126 the program is not allowed or does not
start, 127 there is no such program, 2 wrong usage.`;

/** `mur sandbox`. */
export function command(shell: Shell): Command {
  const sandbox = new Command('sandbox')
    .description(
      'Runs one command in the box that commands of a session get: these files, these programs, these hosts.',
    )
    .usage('[options] -- <command> [args...]')
    .argument('[command...]', 'the program, by its name, and its arguments')
    .passThroughOptions()
    .addHelpText('after', text);
  const group = (heading: string, options: readonly Option[]) => {
    for (const option of options) sandbox.addOption(option.helpGroup(heading));
  };
  group('Which box:', [
    new Option('--manifest <path>', 'the box of this capsule manifest').conflicts(boxFlags),
    new Option('--workdir <dir>', 'its work folder (default: this folder; with --manifest, an empty one)'),
    new Option('--containment <class>', 'the least that has to be held').choices(containmentClasses),
    new Option('--no-env-file', "do not read the .env file of the manifest's project"),
  ]);
  group('What a box without a manifest gives besides (repeatable):', [
    several('--allow <program>', 'a further program'),
    several('--network <host>', 'a host it may reach: host, host:port or http(s)://host'),
    several('--env <name>', 'a variable of this environment'),
    new Option('--workdir-exec', 'programs of the work folder may run'),
    new Option('--unix-sockets', 'unix sockets may be made'),
  ]);
  group('What is said:', [
    new Option('--explain', 'only says what the box gives and what of that is enforced; runs nothing'),
    new Option('--json', 'with --explain: one JSON object on stdout'),
    new Option('-v, --verbose', 'also which limits this machine does not enforce, and each refused connection'),
  ]);
  return sandbox.action((words: readonly string[], flags: SandboxFlags) => {
    if (flags.json === true && flags.explain !== true) sandbox.error("error: option '--json' is for --explain");
    const isBoxNamed = flags.manifest !== undefined || flags.allow.length > 0;
    if (words.length === 0 && !(flags.explain === true && isBoxNamed)) {
      sandbox.error("error: missing required argument 'command'");
    }
    return shell.run('sandbox', flags, async (flags, context) => {
      if (flags.explain === true) return (await import('./sandbox-explain.js')).explainSandbox(words, flags, context);
      return (await import('./sandbox-run.js')).runInSandbox(words, flags, context);
    });
  });
}

/** Flags that would say what a manifest says. */
const boxFlags = ['allow', 'network', 'env', 'workdirExec', 'unixSockets'];

function several(flags: string, description: string): Option {
  return new Option(flags, description).default([], 'none').argParser((value: string, before: readonly string[]) => {
    if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.');
    return [...before, value.trim()];
  });
}

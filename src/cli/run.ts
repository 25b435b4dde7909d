import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommonFlags, Shell } from './command.js';
import { parseDeadline } from './deadline.js';

/** The flags of `mur run` as the parser leaves them. */
export interface RunFlags extends CommonFlags {
  readonly manifest: string;
  readonly capsule?: string;
  readonly capsuleVersion?: string;
  readonly task?: string;
  readonly context?: string;
  readonly workdir?: string;
  /** Milliseconds. */
  readonly deadline?: number;
  readonly bind: string;
  readonly systemPrompt?: string;
  /** False under `--no-env-file`. */
  readonly envFile: boolean;
  readonly containment?: string;
  readonly explainScope?: boolean;
  readonly lifecycleTaskAcceptance?: string;
  readonly lifecycleAfterTask?: string;
  readonly inspect?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly print?: boolean;
  readonly quiet?: boolean;
}

const examples = `
Examples:
  mur run                                       run ./murmur.yaml; the task is task.md in its work folder
  mur run --task "Summarise the notes"          give the task as text, or name a file that holds it
  mur run --print --task report.md > answer.md  only the answer on stdout
  mur run --capsule acme/pump --capsule-version 1.0.0   an installed capsule; no lock is read or made
  mur run --explain-scope                       what it could reach here, and what of that is enforced
  mur run --json &                              one line with the address of the door, for scripts

Exit status: 0 done, 1 an error or a task that did not complete, 2 wrong usage.`;

/** `mur run`. The session itself is loaded only once the flags are understood. */
export function command(shell: Shell): Command {
  const run = new Command('run')
    .description('Runs one capsule as one session: stages it, opens its door, runs its task, and ends.')
    .addHelpText('after', examples);
  const group = (heading: string, options: readonly Option[]) => {
    for (const option of options) run.addOption(option.helpGroup(heading));
  };
  group('What runs:', [
    new Option('--manifest <path>', 'capsule manifest; its folder is the project').default('./murmur.yaml'),
    new Option('--capsule <name>', 'an installed capsule instead; needs --capsule-version').conflicts('manifest'),
    new Option('--capsule-version <version>', 'its exact version; needs --capsule'),
    new Option('--task <path-or-text>', 'the task: a file, or the text itself'),
    new Option('--context <id>', 'conversation the task belongs to'),
    new Option('--system-prompt <text>', 'replaces the system prompt; empty clears it'),
    new Option('--workdir <dir>', 'work folder (default: one of its own, beside the manifest)'),
    new Option('--no-env-file', 'do not read the .env file of the project'),
    new Option('--containment <class>', 'unconfined, advisory, scoped or sealed; only ever raises the floor'),
    new Option('--explain-scope', 'only says what the capsule could do here and what is enforced; starts nothing'),
  ]);
  group('How long and for whom:', [
    new Option('--deadline <duration>', 'ends the session after 90, 90s, 5m, 2h or 1d').argParser(deadline),
    new Option('--lifecycle-task-acceptance <mode>', 'none, single or queue, instead of the manifest'),
    new Option('--lifecycle-after-task <mode>', 'exit or, with queue, sleep, instead of the manifest'),
    new Option('--bind <address>', 'address of the door').default('127.0.0.1'),
    new Option('--inspect', 'lets you watch it live: opens a page in the browser'),
  ]);
  group('What is printed:', [
    new Option('--print', 'only the answer on stdout').conflicts('json'),
    new Option('--json', 'one JSON line on stdout once the session can be reached'),
    new Option('-v, --verbose', 'more lines about the session'),
    new Option('-q, --quiet', 'no progress; warnings and errors stay'),
    new Option('--no-color', 'no colours (NO_COLOR works too)'),
  ]);
  return run.allowExcessArguments(false).action((flags: RunFlags) => {
    if ((flags.capsule === undefined) !== (flags.capsuleVersion === undefined)) {
      run.error("error: options '--capsule' and '--capsule-version' go together");
    }
    return shell.run('run', flags, async (flags, context) => {
      if (flags.explainScope === true) {
        const [{ explainScope }, { runRequest }] = await Promise.all([
          import('./explain.js'),
          import('./run-session.js'),
        ]);
        return explainScope(runRequest(flags), flags, context);
      }
      const { runSession } = await import('./run-session.js');
      return runSession(flags, context, async () => (await import('../index.js')).runCapsule);
    });
  });
}

function deadline(text: string): number {
  const ms = parseDeadline(text);
  if (ms === undefined) throw new InvalidArgumentError('It must be a duration above zero: 90, 90s, 5m, 2h or 1d.');
  return ms;
}

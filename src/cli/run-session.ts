import { MurError, toMurError } from '../errors/index.js';
import { containmentClasses } from '../manifest/containment.js';
import type { LifecycleOverride } from '../manifest/index.js';
import type { RunRequest } from '../run.js';
import { systemClock } from '../supervise/clock.js';
import type { LaunchOptions, LaunchResult } from '../supervise/launch.js';
import type { SessionNotice } from '../supervise/notice.js';
import type { OutputMode } from './announce.js';
import type { CliContext, ExitStatus } from './context.js';
import type { RunFlags } from './run.js';
import { RunView } from './run-view.js';

/** The library's `runCapsule`. */
export type RunCapsule = (request: RunRequest, options: LaunchOptions) => Promise<LaunchResult>;

const acceptances = ['none', 'single', 'queue'] as const;
const afterTasks = ['exit', 'sleep'] as const;

/**
 * Runs one session and shows it. Never throws: what goes wrong is printed and becomes the exit status. The library is loaded
 * by `load` once the screen says that something is happening.
 */
export async function runSession(
  flags: RunFlags,
  context: CliContext,
  load: () => Promise<RunCapsule>,
): Promise<ExitStatus> {
  const view = new RunView({
    stdout: context.stdout,
    stderr: context.stderr,
    env: context.env,
    clock: systemClock,
    mode: outputMode(flags),
    isVerbose: flags.verbose === true,
    isQuiet: flags.quiet === true,
    noColor: !flags.color,
  });
  try {
    const onNotice = (notice: SessionNotice) => {
      view.notice(notice);
      if (notice.type === 'inspection.listening' && isWatched(flags, context)) void showPage(notice.url, context.env);
    };
    const request = sinceProcessStart(runRequest(flags));
    const runCapsule = await load();
    const result = await runCapsule(request, { onNotice, handleSignals: true });
    view.end(result);
    // Who let the capsule bring its own task is told how to give another.
    const hasOwnTask = flags.task === undefined && result.answer !== undefined;
    if (hasOwnTask && result.exitCode === 0) view.suggest(nextStep(flags));
    return result.exitCode;
  } catch (error) {
    const failure = toMurError(error);
    view.fail(failure);
    return failure.exit;
  }
}

/** Whether a person sits in front of this run, who asked to see it. */
function isWatched(flags: RunFlags, { stderr }: CliContext): boolean {
  return flags.inspect === true && outputMode(flags) === 'human' && stderr.isTerminal;
}

async function showPage(url: string, env: CliContext['env']): Promise<void> {
  const { openBrowser } = await import('./inspect-browser.js');
  await openBrowser(url, env);
}

/** The flags as a request. Throws a `MurError` for a value that cannot be used. */
export function runRequest(flags: RunFlags): RunRequest {
  const lifecycle: LifecycleOverride = {
    ...optional('taskAcceptance', oneOf('--lifecycle-task-acceptance', acceptances, flags.lifecycleTaskAcceptance)),
    ...optional('afterTask', oneOf('--lifecycle-after-task', afterTasks, flags.lifecycleAfterTask)),
  };
  return {
    manifestPath: flags.manifest,
    ...(flags.capsule === undefined || flags.capsuleVersion === undefined
      ? {}
      : { capsule: { name: flags.capsule, version: flags.capsuleVersion } }),
    noEnvFile: !flags.envFile,
    bindAddr: flags.bind,
    ...(Object.keys(lifecycle).length === 0 ? {} : { lifecycle }),
    ...optional('containment', oneOf('--containment', containmentClasses, flags.containment)),
    ...optional('task', flags.task),
    ...optional('contextId', flags.context),
    ...optional('systemPrompt', flags.systemPrompt),
    ...optional('workdir', flags.workdir),
    ...optional('deadlineMs', flags.deadline),
    ...optional('inspect', flags.inspect),
  };
}

/** A deadline counts from the start of the process, and loading has taken some of it (spec/session.md 11). */
function sinceProcessStart(request: RunRequest): RunRequest {
  const { deadlineMs } = request;
  return deadlineMs === undefined ? request : { ...request, deadlineMs: Math.max(0, deadlineMs - performance.now()) };
}

/** `{[key]: value}`, or nothing for a value that was not given. */
function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

function oneOf<T extends string>(flag: string, words: readonly T[], given: string | undefined): T | undefined {
  if (given === undefined) return undefined;
  const word = words.find((candidate) => candidate === given);
  if (word === undefined) throw new MurError('E-IO-003', `${flag} must be one of: ${words.join(', ')}; got '${given}'`);
  return word;
}

function outputMode(flags: RunFlags): OutputMode {
  if (flags.json === true) return 'json';
  return flags.print === true ? 'print' : 'human';
}

function nextStep({ manifest, capsule, capsuleVersion }: RunFlags): string {
  const project = manifest === './murmur.yaml' ? '' : ` --manifest ${manifest}`;
  const where = capsule === undefined ? project : ` --capsule ${capsule} --capsule-version ${capsuleVersion}`;
  return `next: mur run${where} --task "a task of your own"`;
}

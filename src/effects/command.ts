/**
 * The host programs of one session: each is an actor of machines/command below the session's own, and this is what asks for them,
 * watches, lists and ends them. Not what a call means (command-call.ts), not one process (command-process.ts), not what it may do
 * (src/containment). Read next: machines/command, command-chart.ts, command-process.ts, command-call.ts.
 */
import { join } from 'node:path';
import type { ActorRefFrom } from 'xstate';
import {
  type CommandInput,
  type CommandOutput,
  commandIdOf,
  type commandMachine,
} from '../../machines/command/machine.js';
import type { Box } from '../containment/box.js';
import { MurError, reasonOf } from '../errors/index.js';
import type { HeldDirectory } from '../home/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import type { CgroupCounters, SizeBreach } from '../resources/index.js';
import { type CommandFolders, LogFolder, type Variable } from '../shell/index.js';
import type { Clock } from '../supervise/clock.js';
import { observe } from '../supervise/observe.js';
import type { TaskRequest } from '../task/index.js';
import type { TraceWriter } from '../trace/index.js';
import { type Abandoned, CommandProcess, type CommandRequest } from './command-process.js';
import type { LogEntry } from './log.js';

/** What a session lends its commands. */
export interface CommandHost {
  /** What starts them under the session's kernel rules. */
  readonly box: Pick<Box, 'start'>;
  readonly clock: Clock;
  readonly policy: Pick<CapabilityPolicy, 'shellAllow' | 'shellBaselineEnv' | 'shellStripEnv'>;
  /** The environment of the runtime; its PATH is where programs are looked for. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** What each of them has in its environment unless something else sets it. */
  readonly defaults?: readonly Variable[];
  /** The `MURMUR_*` values of the session that shell tools see. */
  readonly identity: readonly (readonly [string, string])[];
  /** As commands see them: `temp` is what TMPDIR is set to. */
  readonly folders: Pick<CommandFolders, 'temp' | 'runtime'>;
  /** Holds `logs/` and `home/`. */
  readonly records: HeldDirectory;
  readonly trace: Pick<TraceWriter, 'write' | 'flush'>;
  readonly log: (entry: LogEntry) => void;
  /** Event counts of the session's cgroup. Absent: it has none. */
  readonly counters?: () => Promise<CgroupCounters>;
  /** The size guard. */
  readonly breach?: () => SizeBreach | undefined;
  /** Why a command may not run, because of what it would write. Absent: nothing is protected. For what no model call was judged for. */
  readonly denied?: (
    line: { readonly name: string; readonly args: readonly string[] },
    of: { readonly turn: number; readonly taskId: string | null },
  ) => string | undefined;
  /** Absent: no command of this session goes on in the background, because nothing could tell the capsule how it ended. */
  readonly background?: {
    readonly graceMs: number;
    /** Takes the task that reports an end. Never throws: what cannot be queued is traced by the registry. */
    enqueue(task: TaskRequest): void;
  };
  /**
   * Has the session start the actor of a command, whose effects are those of `commandLogic`. `undefined`: the session takes none any
   * more. Called when no chart is in the middle of a step.
   */
  readonly spawn: (input: CommandInput) => CommandActor | undefined;
}

/** What became of a command, as far as its caller waits for it. */
export type CommandOutcome =
  | { readonly kind: 'finished'; readonly output: CommandOutput; readonly process: CommandProcess }
  | { readonly kind: 'detached'; readonly workId: string; readonly binary: string }
  | {
      readonly kind: 'stopped';
      readonly reason: string;
      /** The session cannot go on. */
      readonly fatal?: MurError;
    };

/** A background command, for the residue of a cancel or stop (spec/door.md 14). */
export interface OutstandingCommand {
  readonly workId: string;
  readonly binary: string;
  readonly command: string;
  /** Unix milliseconds. */
  readonly startedAtMs: number;
}

export type CommandActor = ActorRefFrom<typeof commandMachine>;

export class Commands {
  readonly host: CommandHost;
  readonly #logs: LogFolder;
  /** By command id: what is live of it. */
  readonly #processes = new Map<string, CommandProcess>();
  /** With the promise of its end. */
  readonly #live = new Map<CommandActor, Promise<void>>();
  readonly #outstanding = new Map<string, OutstandingCommand>();
  readonly #abandoned: Abandoned[] = [];
  #serial = 0;
  #isOver = false;

  constructor(host: CommandHost) {
    this.host = host;
    this.#logs = new LogFolder(host.records);
  }

  get recordsDir(): string {
    return this.host.records.path;
  }

  /** The folders as commands see them. Makes the home; throws when it cannot. */
  folders(): CommandFolders {
    this.host.records.mkdir('home', 0o700);
    return { ...this.host.folders, home: join(this.recordsDir, 'home'), records: this.recordsDir };
  }

  /** Background commands, in order of their ids, which is that of their move. */
  outstanding(): readonly OutstandingCommand[] {
    return [...this.#outstanding.values()].toSorted((a, b) => (a.workId < b.workId ? -1 : 1));
  }

  /** What is live of a command that runs. For the effects of its chart. */
  processOf(commandId: string): CommandProcess {
    const process = this.#processes.get(commandId);
    if (process === undefined) throw new Error(`command ${commandId} is not running`);
    return process;
  }

  /**
   * Runs a command until it ends, or is moved to the background. `signal` ends it as long as its caller waits. Never rejects, and
   * never leaves a process behind but a background one, which `sweep` ends.
   */
  async run(request: CommandRequest, signal?: AbortSignal): Promise<CommandOutcome> {
    // From here on no chart is in the middle of a step, so what is asked for is there at once.
    await Promise.resolve();
    if (this.#isOver) return stopped(overText);
    if (signal?.aborted === true) return stopped(canceledText);
    this.#serial += 1;
    const commandId = commandIdOf(this.#serial);
    const process = new CommandProcess(this.host, request, this.#logs, {
      register: (command) => this.#outstanding.set(command.workId, command),
      abandoned: (command) => this.#abandoned.push(command),
    });
    this.#processes.set(commandId, process);
    const { line, path, taskId, mayDetach } = request;
    const graceMs = mayDetach ? (this.host.background?.graceMs ?? null) : null;
    const actor = this.host.spawn({ commandId, binary: path ?? line.name, taskId, graceMs });
    if (actor === undefined) {
      this.#processes.delete(commandId);
      return stopped(overText);
    }
    return this.#follow(commandId, actor, process, signal);
  }

  /** Resolves when the caller of a command need not wait any longer. */
  #follow(
    commandId: string,
    actor: CommandActor,
    process: CommandProcess,
    signal: AbortSignal | undefined,
  ): Promise<CommandOutcome> {
    return new Promise((resolve) => {
      const cancel = (): void => actor.send({ type: 'cancel.requested' });
      signal?.addEventListener('abort', cancel, { once: true });
      let settle: () => void = () => undefined;
      const ended = new Promise<void>((done) => {
        settle = done;
      });
      this.#live.set(actor, ended);
      const leave = async (outcome: CommandOutcome): Promise<void> => {
        signal?.removeEventListener('abort', cancel);
        resolve(outcome);
        await process.release();
        this.#outstanding.delete(actor.getSnapshot().context.workId ?? '');
        this.#processes.delete(commandId);
        this.#live.delete(actor);
        settle();
      };
      /** Its actor ended before it could: whatever is left of the process is killed. */
      const cutOff = async (reason: string): Promise<void> => {
        await process.clear().catch((error: unknown) => {
          this.host.log({ level: 'error', message: `a command could not be ended: ${reasonOf(error)}` });
        });
        await leave(stopped(reason));
      };
      observe(actor, {
        next: ({ value, context: { workId } }) => {
          if (value === 'demoted' && workId !== null) resolve({ kind: 'detached', workId, binary: process.binary });
        },
        error: (error) => void cutOff(reasonOf(error)),
        complete: () => {
          const { output } = actor.getSnapshot();
          if (output === undefined) return void cutOff(overText);
          if (output.ending === 'failed')
            this.host.log({ level: 'error', message: `command: ${output.fault?.message}` });
          void leave(outcomeOf(output, process));
        },
      });
    });
  }

  /**
   * Ends everything that still runs and resolves when nothing does; starts nothing afterwards. For after `session_end` is written: each
   * background command then leaves its log and a `shell_abandoned` line. Gives what was abandoned, by id. Idempotent.
   */
  async sweep(): Promise<readonly Abandoned[]> {
    this.#isOver = true;
    const ending = [...this.#live];
    for (const [actor] of ending) if (actor.getSnapshot().status === 'active') actor.send({ type: 'session.ended' });
    await Promise.all(ending.map(([, ended]) => ended));
    this.#logs.close();
    return this.#abandoned.toSorted((a, b) => (a.workId < b.workId ? -1 : 1));
  }
}

/** One line for an operator about the background commands a session took with it; `undefined` when there were none. */
export function abandonedSummary(abandoned: readonly Abandoned[]): string | undefined {
  if (abandoned.length === 0) return undefined;
  const each = abandoned.map(
    ({ workId, binary, runningMs }) => `${workId} ${binary} (${Math.round(runningMs / 1000)} s)`,
  );
  const what = abandoned.length === 1 ? '1 background command' : `${abandoned.length} background commands`;
  return `${what} ended with the session: ${each.join(', ')}`;
}

const overText = 'the session is over';
const canceledText = 'the command was ended, because the task that asked for it was canceled';

function stopped(reason: string): CommandOutcome {
  return { kind: 'stopped', reason };
}

function outcomeOf(output: CommandOutput, process: CommandProcess): CommandOutcome {
  const { ending, fault } = output;
  if (ending === 'finished') return { kind: 'finished', output, process };
  if (fault === null) return stopped(canceledText);
  // Without a sealed root no further command can run.
  if (fault.code !== 'E-RUN-014') return stopped(fault.message);
  const fatal = new MurError(fault.code, fault.message, fault.hint === undefined ? {} : { hint: fault.hint });
  return { kind: 'stopped', reason: fault.message, fatal };
}

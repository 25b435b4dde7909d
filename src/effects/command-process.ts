/**
 * One process of one command, and the effects of its chart. Everything live is here: the process, its streams, its output.
 */
import { join } from 'node:path';
import { fromPromise } from 'xstate';
import type { CommandEnd, CommandInput, Detached, Started } from '../../machines/command/machine.js';
import { faultOf, type Outcome } from '../../machines/effect.js';
import type { BoxCommand, BoxedProcess, Ending } from '../containment/box.js';
import { reasonOf } from '../errors/index.js';
import { attribute, type CgroupCounters, type ResourceLimit, sizeError } from '../resources/index.js';
import {
  Capture,
  type CommandLine,
  type Completion,
  completionMessage,
  completionStatus,
  type LogFolder,
  shellLogStem,
  type WrittenLog,
  writeLog,
} from '../shell/index.js';
import { mintId } from '../supervise/ids.js';
import type { TaskTrust } from '../task/index.js';
import type { TraceEvents } from '../trace/index.js';
import type { CommandHost, OutstandingCommand } from './command.js';

/** One program to run. */
export interface CommandRequest {
  readonly line: CommandLine;
  /** The file to execute; `undefined`: there is none of that name. */
  readonly path: string | undefined;
  /** Called right before the start. What it throws is why nothing is started. */
  readonly environment: () => Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  readonly taskId: string | null;
  readonly turn: number;
  /** Of the task, for the one that reports the end of a background command. */
  readonly contextId: string;
  readonly trust: TaskTrust;
  /** Whether it may go on in the background. */
  readonly mayDetach: boolean;
  /** Most bytes of stdout that are kept in memory; more than that ends the command, and nothing is logged. */
  readonly stdoutCapBytes?: number;
  /** What this process alone may use. */
  readonly extra?: BoxCommand['extra'];
}

/** A background command that ended with its session. */
export interface Abandoned extends OutstandingCommand {
  readonly runningMs: number;
}

interface Registry {
  register(command: OutstandingCommand): void;
  abandoned(command: Abandoned): void;
}

export class CommandProcess {
  readonly request: CommandRequest;
  readonly #host: CommandHost;
  readonly #logs: LogFolder;
  readonly #registry: Registry;
  #process: BoxedProcess | undefined;
  #stdout: Capture | undefined;
  #stderr: Capture | undefined;
  #before: CgroupCounters | undefined;
  #startedAtMs = 0;
  #startedAt = 0;
  #end: Promise<CommandEnd> | undefined;
  #log: WrittenLog | undefined;
  #logFailure: string | undefined;
  #detached: OutstandingCommand | undefined;
  #overflowed = false;
  #hasEnded = false;

  constructor(host: CommandHost, request: CommandRequest, logs: LogFolder, registry: Registry) {
    this.#host = host;
    this.request = request;
    this.#logs = logs;
    this.#registry = registry;
  }

  /** As resolved, else as invoked. */
  get binary(): string {
    return this.request.path ?? this.request.line.name;
  }

  /** What is shown of its output. */
  get shown(): { readonly stdout: string; readonly stderr: string; readonly logPath?: string } {
    return {
      stdout: this.#stdout?.text ?? '',
      stderr: this.#stderr?.text ?? '',
      ...(this.#log === undefined ? {} : { logPath: this.#log.path }),
    };
  }

  /** It wrote more than its cap, and was ended for that. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** The actors of its chart. */
  effects() {
    const nothing = async (work: () => Promise<unknown>): Promise<null> => {
      await work();
      return null;
    };
    return {
      start: fromPromise<Started, CommandInput>(() => this.#start()),
      wait: fromPromise<CommandEnd, null>(() => this.#wait()),
      kill: fromPromise<CommandEnd | null, null>(() => this.#kill()),
      terminate: fromPromise<null, { readonly killAfterMs: number }>(({ input }) =>
        nothing(() => this.#terminate(input.killAfterMs)),
      ),
      record: fromPromise<Outcome, CommandEnd | null>(({ input }) => this.#record(input)),
      detach: fromPromise<Detached, null>(() => this.#detach()),
      save: fromPromise<null, CommandEnd | null>(({ input }) => nothing(() => this.#save(input))),
      report: fromPromise<null, CommandEnd | null>(async ({ input }) => this.#report(input)),
      abandon: fromPromise<null, CommandEnd | null>(async ({ input }) => this.#abandon(input)),
      clear: fromPromise<null, null>(() => nothing(async () => this.#process?.kill())),
    };
  }

  /** Frees what its output took. Never rejects. */
  async release(): Promise<void> {
    await Promise.allSettled([this.#stdout?.release(), this.#stderr?.release()]);
  }

  async #start(): Promise<Started> {
    const { line, path, stdin, stdoutCapBytes, extra } = this.request;
    try {
      const breach = this.#host.breach?.();
      if (breach !== undefined) throw sizeError(breach);
      if (path === undefined) throw new Error(`'${line.name}' is no executable file on the PATH of the runtime`);
      const env = this.request.environment();
      this.#before = await this.#counters();
      this.#startedAtMs = this.#host.clock.monotonic();
      this.#startedAt = this.#host.clock.now();
      const process = await this.#host.box.start({
        path,
        argv0: line.name,
        args: line.args,
        env,
        ...(stdin === undefined ? {} : { stdin }),
        ...(extra === undefined ? {} : { extra }),
      });
      this.#process = process;
      const note = (): void => {
        this.#hasEnded = true;
      };
      process.ended.then(note, note);
      const spool = () => this.#logs.spool();
      this.#stdout = new Capture(
        process.stdout,
        stdoutCapBytes === undefined ? { spool } : { keepBytes: stdoutCapBytes, onOverflow: () => this.#overflow() },
      );
      this.#stderr = new Capture(process.stderr, stdoutCapBytes === undefined ? { spool } : {});
      return { ok: true, pid: process.pid };
    } catch (error) {
      return { ok: false, fault: faultOf(error) };
    }
  }

  #wait(): Promise<CommandEnd> {
    this.#end ??= this.#ended();
    return this.#end;
  }

  async #ended(): Promise<CommandEnd> {
    const process = this.#started();
    let waitError: string | null = null;
    const ended = await process.ended.catch((error: unknown): Ending => {
      waitError = reasonOf(error);
      return { exitCode: -1 };
    });
    const durationMs = Math.round(this.#host.clock.monotonic() - this.#startedAtMs);
    await Promise.all([this.#stdout?.finish(), this.#stderr?.finish()]);
    const resourceLimit = attribute(ended, this.#before, await this.#counters()) ?? null;
    return { exitCode: ended.exitCode, durationMs, resourceLimit, waitError };
  }

  async #terminate(killAfterMs: number): Promise<void> {
    await this.#started().terminate(killAfterMs);
    await Promise.all([this.#stdout?.finish(), this.#stderr?.finish()]);
  }

  async #kill(): Promise<CommandEnd | null> {
    const endedByItself = this.#hasEnded;
    await this.#started().kill();
    const end = await this.#wait();
    return endedByItself ? end : null;
  }

  async #record(end: CommandEnd | null): Promise<Outcome> {
    const isLong = this.#stdout?.isLong === true || this.#stderr?.isLong === true;
    if (!isLong || end === null || this.request.stdoutCapBytes !== undefined) return { ok: true };
    try {
      this.#log = await this.#write(shellLogStem(this.#host.clock.now()), end.exitCode);
      return { ok: true };
    } catch (error) {
      return { ok: false, fault: faultOf(error) };
    }
  }

  /** Nobody is told of the id before it is registered and on the disk. That it could not be written does not undo it. */
  async #detach(): Promise<Detached> {
    const { line, taskId, turn } = this.request;
    const workId = mintId('wrk', this.#host.clock.now());
    const about = { turn, task_id: taskId, work_id: workId, binary: this.binary };
    this.#detached = { workId, binary: this.binary, command: line.command, startedAtMs: this.#startedAt };
    this.#registry.register(this.#detached);
    const graceMs = this.#host.background?.graceMs ?? 0;
    try {
      this.#host.trace.write('shell_detached', { ...about, command: line.command, grace_ms: graceMs });
      await this.#host.trace.flush();
    } catch (error) {
      this.#trace('shell_detach_unrecorded', { ...about, reason: reasonOf(error) });
    }
    return { workId };
  }

  async #save(end: CommandEnd | null): Promise<void> {
    const { workId } = this.#background();
    try {
      this.#log = await this.#write(workId, end?.exitCode ?? null);
    } catch (error) {
      this.#logFailure = reasonOf(error);
      this.#host.log({ level: 'error', message: `the log of ${workId} could not be written: ${this.#logFailure}` });
    }
  }

  #report(end: CommandEnd | null): null {
    const { workId, binary, command } = this.#background();
    const { contextId, trust } = this.request;
    const { exitCode, durationMs, resourceLimit, waitError } = end ?? unknownEnd;
    const problems = [waitError, this.#logFailure].filter((problem) => typeof problem === 'string');
    const completion: Completion = {
      workId,
      binary,
      command,
      exitCode,
      durationMs,
      outputPath: this.#outputPath(),
      outputBytes: this.#log?.sizeBytes ?? 0,
      ...(resourceLimit === null ? {} : { resourceLimit: resourceLimit as ResourceLimit }),
      ...(problems.length === 0 ? {} : { waitError: problems.join('; ') }),
    };
    const taskId = mintId('tsk', this.#host.clock.now());
    this.#trace('shell_completed', {
      ...this.#traced(),
      exit_code: exitCode,
      duration_ms: durationMs,
      output_path: completion.outputPath,
      output_bytes: completion.outputBytes,
      resource_limit: completion.resourceLimit,
      status: completionStatus(completion),
      completion_task_id: taskId,
    });
    this.#host.background?.enqueue({
      taskId,
      contextId,
      text: completionMessage(completion),
      origin: 'completion',
      trust,
      source: 'detached_shell',
      receivedAtMs: this.#host.clock.now(),
    });
    return null;
  }

  #abandon(end: CommandEnd | null): null {
    const runningMs = end?.durationMs ?? Math.round(this.#host.clock.monotonic() - this.#startedAtMs);
    this.#registry.abandoned({ ...this.#background(), runningMs });
    this.#trace('shell_abandoned', {
      ...this.#traced(),
      running_ms: runningMs,
      ...(end === null
        ? {}
        : {
            exit_code: end.exitCode,
            output_path: this.#outputPath(),
            output_bytes: this.#log?.sizeBytes ?? 0,
          }),
    });
    return null;
  }

  #traced() {
    const { workId, binary, command } = this.#background();
    return { work_id: workId, binary, command };
  }

  /** A line whose loss must not keep the capsule from being told. The writer's failure ends the session elsewhere. */
  #trace<E extends 'shell_completed' | 'shell_abandoned' | 'shell_detach_unrecorded'>(
    event: E,
    fields: TraceEvents[E],
  ): void {
    try {
      this.#host.trace.write(event, fields);
    } catch (error) {
      this.#host.log({ level: 'error', message: reasonOf(error) });
    }
  }

  #write(stem: string, exitCode: number | null): Promise<WrittenLog> {
    const [stdout, stderr] = [this.#stdout, this.#stderr];
    if (stdout === undefined || stderr === undefined) throw new Error('the command has no output');
    const { name, args } = this.request.line;
    return writeLog(this.#logs, stem, { name, args, exitCode }, { stdout, stderr });
  }

  #outputPath(): string {
    return this.#log?.path ?? join(this.#host.records.path, 'logs', `${this.#background().workId}.log`);
  }

  #overflow(): void {
    this.#overflowed = true;
    this.#process?.kill().catch((error: unknown) => {
      this.#host.log({ level: 'error', message: `a tool that wrote too much could not be ended: ${reasonOf(error)}` });
    });
  }

  /** What cannot be read is no evidence. */
  async #counters(): Promise<CgroupCounters | undefined> {
    return this.#host.counters?.().catch(() => undefined);
  }

  #started(): BoxedProcess {
    if (this.#process === undefined) throw new Error('the command was not started');
    return this.#process;
  }

  #background(): OutstandingCommand {
    if (this.#detached === undefined) throw new Error('the command is not in the background');
    return this.#detached;
  }
}

const unknownEnd: CommandEnd = {
  exitCode: -1,
  durationMs: 0,
  resourceLimit: null,
  waitError: 'how it ended is not known',
};

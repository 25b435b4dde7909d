/**
 * One process of one command: everything live of it, its streams and its output. What it does and when is decided by its chart, whose
 * effects call it (command-chart.ts).
 */
import type { CommandEnd, Detached, Started } from '../../machines/command/machine.js';
import { faultOf, type Outcome } from '../../machines/effect.js';
import type { BoxCommand, BoxedProcess, Ending } from '../containment/box.js';
import { reasonOf } from '../errors/index.js';
import { attribute, type CgroupCounters, sizeError } from '../resources/index.js';
import { Capture, type CommandLine, type LogFolder, shellLogStem, type WrittenLog, writeLog } from '../shell/index.js';
import { mintId } from '../supervise/ids.js';
import type { TaskTrust } from '../task/index.js';
import type { CommandHost, OutstandingCommand } from './command.js';
import { BackgroundCommand } from './command-background.js';

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

/** What is done for one command, by its chart. */
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
  #background: BackgroundCommand | undefined;
  #overflowed = false;
  #hasEnded = false;
  #isCleared = false;

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

  /** Frees what its output took. Never rejects. */
  async release(): Promise<void> {
    await Promise.allSettled([this.#stdout?.release(), this.#stderr?.release()]);
  }

  /** Starts the process, or says why it could not. */
  async start(): Promise<Started> {
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
      if (this.#isCleared) {
        await process.kill();
        throw new Error('the session ended while it started');
      }
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

  /** Resolves with its end; may be asked more than once. */
  wait(): Promise<CommandEnd> {
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

  /** Tells it to end, and kills the tree when it does not. */
  async terminate(killAfterMs: number): Promise<void> {
    await this.#started().terminate(killAfterMs);
    await Promise.all([this.#stdout?.finish(), this.#stderr?.finish()]);
  }

  /** Kills the tree. Resolves with its end if it had ended by itself before. */
  async kill(): Promise<CommandEnd | null> {
    const endedByItself = this.#hasEnded;
    await this.#started().kill();
    const end = await this.wait();
    return endedByItself ? end : null;
  }

  /** Writes the log of a result that is cut. */
  async record(end: CommandEnd | null): Promise<Outcome> {
    const isLong = this.#stdout?.isLong === true || this.#stderr?.isLong === true;
    if (!isLong || end === null || this.request.stdoutCapBytes !== undefined) return { ok: true };
    try {
      this.#log = await this.#write(shellLogStem(this.#host.clock.now()), end.exitCode);
      return { ok: true };
    } catch (error) {
      return { ok: false, fault: faultOf(error) };
    }
  }

  /** Nobody is told of the id before the session knows of it. */
  async detach(): Promise<Detached> {
    const { line } = this.request;
    const workId = mintId('wrk', this.#host.clock.now());
    const about = { workId, binary: this.binary, command: line.command, startedAtMs: this.#startedAt };
    this.#background = new BackgroundCommand(this.#host, this.request, about);
    this.#registry.register(about);
    await this.#background.announce();
    return { workId };
  }

  /** Keeps its output as a background command. */
  async save(end: CommandEnd | null): Promise<void> {
    await this.#detached().save((workId) => this.#write(workId, end?.exitCode ?? null));
  }

  report(end: CommandEnd | null): void {
    this.#detached().report(end);
  }

  abandon(end: CommandEnd | null): void {
    const background = this.#detached();
    const runningMs = end?.durationMs ?? Math.round(this.#host.clock.monotonic() - this.#startedAtMs);
    this.#registry.abandoned({ ...background.about, runningMs });
    background.abandon(end, runningMs);
  }

  /** Kills what is left of it, and what is just being started. */
  async clear(): Promise<void> {
    this.#isCleared = true;
    await this.#process?.kill();
  }

  #write(stem: string, exitCode: number | null): Promise<WrittenLog> {
    const [stdout, stderr] = [this.#stdout, this.#stderr];
    if (stdout === undefined || stderr === undefined) throw new Error('the command has no output');
    const { name, args } = this.request.line;
    return writeLog(this.#logs, stem, { name, args, exitCode }, { stdout, stderr });
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

  #detached(): BackgroundCommand {
    if (this.#background === undefined) throw new Error('the command is not in the background');
    return this.#background;
  }
}

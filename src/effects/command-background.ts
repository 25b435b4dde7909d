/**
 * A command in the background, as the trace and the capsule hear of it (spec/shell.md 8). Not its process (command-process.ts).
 */
import { join } from 'node:path';
import type { CommandEnd } from '../../machines/command/machine.js';
import { reasonOf } from '../errors/index.js';
import type { ResourceLimit } from '../resources/index.js';
import { type Completion, completionMessage, completionStatus, type WrittenLog } from '../shell/index.js';
import { mintId } from '../supervise/ids.js';
import type { TraceEvents } from '../trace/index.js';
import type { CommandHost, OutstandingCommand } from './command.js';
import type { CommandRequest } from './command-process.js';

export class BackgroundCommand {
  readonly about: OutstandingCommand;
  readonly #host: CommandHost;
  readonly #request: CommandRequest;
  #log: WrittenLog | undefined;
  #logFailure: string | undefined;

  constructor(host: CommandHost, request: CommandRequest, about: OutstandingCommand) {
    this.#host = host;
    this.#request = request;
    this.about = about;
  }

  /** Resolves when the id is on the disk. That it could not be written does not bring the command back. */
  async announce(): Promise<void> {
    const { taskId, turn } = this.#request;
    const { workId, binary, command } = this.about;
    const leading = { turn, task_id: taskId, work_id: workId, binary };
    const graceMs = this.#host.background?.graceMs ?? 0;
    try {
      this.#host.trace.write('shell_detached', { ...leading, command, grace_ms: graceMs });
      await this.#host.trace.flush();
    } catch (error) {
      this.#trace('shell_detach_unrecorded', { ...leading, reason: reasonOf(error) });
    }
  }

  /** Keeps its output. A failure is part of the report. */
  async save(write: (stem: string) => Promise<WrittenLog>): Promise<void> {
    const { workId } = this.about;
    try {
      this.#log = await write(workId);
    } catch (error) {
      this.#logFailure = reasonOf(error);
      this.#host.log({ level: 'error', message: `the log of ${workId} could not be written: ${this.#logFailure}` });
    }
  }

  /** Traces its end, and makes it a task of the capsule. */
  report(end: CommandEnd | null): void {
    const { workId, binary, command } = this.about;
    const { contextId, trust } = this.#request;
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
  }

  /** Traces that it was ended with its session; or, with an `end`, how it ended by itself while the session did. */
  abandon(end: CommandEnd | null, runningMs: number): void {
    const ended =
      end === null
        ? {}
        : { exit_code: end.exitCode, output_path: this.#outputPath(), output_bytes: this.#log?.sizeBytes ?? 0 };
    this.#trace('shell_abandoned', { ...this.#traced(), running_ms: runningMs, ...ended });
  }

  #traced() {
    const { workId, binary, command } = this.about;
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

  #outputPath(): string {
    return this.#log?.path ?? join(this.#host.records.path, 'logs', `${this.about.workId}.log`);
  }
}

const unknownEnd: CommandEnd = {
  exitCode: -1,
  durationMs: 0,
  resourceLimit: null,
  waitError: 'how it ended is not known',
};

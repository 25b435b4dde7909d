import { MurError, reasonOf } from '../errors/index.js';
import type { AppendFile, HeldDirectory } from '../home/types.js';
import type { Clock } from '../supervise/clock.js';
import { mintId } from '../supervise/ids.js';
import type { TraceEvents, TraceEventType } from './events.js';
import { type LeadingKeys, orderedKeys, type TraceLine } from './line.js';
import { TraceNodes } from './nodes.js';

export const TRACE_FILE = 'trace.jsonl';

export interface TraceWriterOptions {
  /** The records directory of the session. */
  readonly records: HeldDirectory;
  readonly sessionId: string;
  readonly clock: Clock;
  /** Takes out of every text of a line what nobody may read. Hashes are of what was sent. */
  readonly redact?: (text: string) => string;
  /** Told when one of the three lines that may be lost could not be written. */
  readonly onLostLine?: (message: string) => void;
}

/** Lines whose loss does not end the session (spec/trace.md 3.9). */
const mayBeLost: ReadonlySet<TraceEventType> = new Set(['compaction', 'compaction_declined', 'context_seed']);

/** After these lines the file is brought to the disk, without holding up the session. */
const flushedAfter: ReadonlySet<TraceEventType> = new Set(['task_end', 'session_end']);

/**
 * Writes one session's `trace.jsonl`. Each line is one write of a whole line, so a crash leaves at most one torn tail, and ids,
 * time and parents are given on receipt: the order of lines is the order of calls.
 *
 * Does not check the order rules of spec/trace.md section 3: who calls when decides them.
 */
export class TraceWriter {
  readonly #file: AppendFile;
  readonly #options: TraceWriterOptions;
  readonly #nodes = new TraceNodes();
  #flushing: Promise<void> = Promise.resolve();
  #flushFailure: unknown;

  constructor(options: TraceWriterOptions) {
    this.#options = options;
    this.#file = options.records.openAppend(TRACE_FILE, 0o600);
  }

  /** The line as it was written. A failed write throws `E-RUN-007`, except for the lines that may be lost. */
  write<E extends TraceEventType>(event: E, fields: TraceEvents[E]): TraceLine<E> {
    const { sessionId, clock } = this.#options;
    const timestamp = clock.now();
    const leading: LeadingKeys = {
      event_type: event,
      event_id: mintId('evt', timestamp),
      parent_id: this.#nodes.parentOf(event, fields),
      session_id: sessionId,
      timestamp,
    };
    const line = { ...leading, ...orderedKeys(event, fields) };
    try {
      this.#file.writeLine(this.#textOf(line));
    } catch (error) {
      this.#lost(event, error);
    }
    this.#nodes.written(event, fields, leading.event_id);
    if (flushedAfter.has(event)) this.#startFlush();
    return line as unknown as TraceLine<E>;
  }

  #textOf(line: object): string {
    const { redact } = this.#options;
    if (redact === undefined) return JSON.stringify(line);
    return JSON.stringify(line, (_, value: unknown) => (typeof value === 'string' ? redact(value) : value));
  }

  /** Resolves when every line written so far is on the disk; rejects with `E-RUN-007`. */
  async flush(): Promise<void> {
    this.#startFlush();
    await this.#flushing;
    if (this.#flushFailure === undefined) return;
    const reason = reasonOf(this.#flushFailure);
    this.#flushFailure = undefined;
    throw new MurError('E-RUN-007', `the trace ${this.#file.path} could not be brought to the disk: ${reason}`);
  }

  /** Flushes and closes. Idempotent. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      this.#file.close();
    }
  }

  #startFlush(): void {
    this.#flushing = this.#flushing
      .then(() => this.#file.flush())
      .catch((error: unknown) => {
        this.#flushFailure = error;
      });
  }

  #lost(event: TraceEventType, error: unknown): void {
    const message = `the trace line ${event} could not be written: ${reasonOf(error)}`;
    if (!mayBeLost.has(event)) throw new MurError('E-RUN-007', message, { cause: error });
    this.#options.onLostLine?.(message);
  }
}

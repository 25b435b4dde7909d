import type { AppendFile, HeldDirectory } from '../home/index.js';

export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [field: string]: unknown;
}

/**
 * The session's own log, `logs/bootstrap.log` in the records directory: warnings, captured output of guests, faults that ended
 * nothing. One pino JSON object per line. Lines written before the folders exist are kept and written then.
 */
export class SessionLog {
  #waiting: LogEntry[] = [];
  #write: ((entry: LogEntry) => void) | undefined;
  #file: AppendFile | undefined;
  #isClosed = false;

  /** Never throws: no session ends, and no failure is hidden, because the disk has no room for a line about it. */
  write(entry: LogEntry): void {
    if (this.#write === undefined) {
      this.#waiting.push(entry);
      return;
    }
    try {
      this.#write(entry);
    } catch {
      // There is nowhere left to say so.
    }
  }

  /** Opens the file. pino is loaded here, because a launch that is refused needs no logger. */
  async open(records: HeldDirectory): Promise<void> {
    const { pino } = await import('pino');
    // The session may have ended meanwhile; a file opened now would be closed by nobody.
    if (this.#isClosed) return;
    records.mkdir('logs', 0o700);
    const file = records.openAppend('logs/bootstrap.log', 0o600);
    this.#file = file;
    const logger = pino({ base: null }, { write: (line: string) => file.write(line) });
    this.#write = ({ level, message, ...fields }) => logger[level](fields, message);
    for (const entry of this.#waiting) this.write(entry);
    this.#waiting = [];
  }

  /** What is said after it goes nowhere. Belongs at the bottom of the session's scope, opened or not: all else may have a last word. */
  close(): void {
    this.#isClosed = true;
    this.#write = () => undefined;
    this.#file?.close();
    this.#file = undefined;
  }
}

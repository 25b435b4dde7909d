import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../supervise/clock.js';

/** How long canceled tasks get to write how they ended, and how often the trace is looked at (spec/liveness.md section 13). */
export const settleMs = 5_000;
const pollMs = 100;

const chunkBytes = 64 * 1024;

/** What a session appends to its trace from now on. Only the new part is read, so a long trace costs nothing. */
export class TraceTail {
  readonly #path: string;
  #offset: number;
  #rest: Buffer = Buffer.alloc(0);
  readonly #ended = new Set<string>();

  constructor(recordsDir: string) {
    this.#path = join(recordsDir, 'trace.jsonl');
    this.#offset = this.#open((fd) => fstatSync(fd).size) ?? 0;
  }

  get exists(): boolean {
    return this.#open(() => true) ?? false;
  }

  /** Those of `taskIds` whose ending is not in the trace. */
  unended(taskIds: readonly string[]): readonly string[] {
    this.#open((fd) => this.#readOn(fd));
    return taskIds.filter((id) => !this.#ended.has(id));
  }

  /** The same, once it is empty or the time is up. */
  async settled(taskIds: readonly string[], clock: Clock, signal: AbortSignal): Promise<readonly string[]> {
    const endsAt = clock.monotonic() + settleMs;
    for (;;) {
      const unended = this.unended(taskIds);
      if (unended.length === 0 || clock.monotonic() >= endsAt) return unended;
      await clock.sleep(pollMs, signal);
    }
  }

  #open<T>(read: (fd: number) => T): T | undefined {
    let fd: number | undefined;
    try {
      fd = openSync(this.#path, 'r');
      return read(fd);
    } catch {
      return undefined; // A trace that cannot be read records no ending.
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  #readOn(fd: number): void {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (let got = readSync(fd, chunk, 0, chunkBytes, this.#offset); got > 0; ) {
      this.#offset += got;
      this.#take(Buffer.concat([this.#rest, chunk.subarray(0, got)]));
      got = readSync(fd, chunk, 0, chunkBytes, this.#offset);
    }
  }

  #take(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      this.#note(bytes.toString('utf8', start, end));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
  }

  #note(line: string): void {
    let event: { event_type?: unknown; task_id?: unknown; phase?: unknown };
    try {
      event = JSON.parse(line);
    } catch {
      return; // A damaged line is no ending.
    }
    const isEnding =
      event?.event_type === 'task_end' || (event?.event_type === 'task_canceled' && event.phase === 'queued');
    if (isEnding && typeof event.task_id === 'string') this.#ended.add(event.task_id);
  }
}

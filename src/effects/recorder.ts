import { createHash } from 'node:crypto';
import type { InspectionEvent } from 'xstate';
import { sessionMachine } from '../../machines/session/machine.js';
import { reasonOf } from '../errors/index.js';
import type { HeldDirectory } from '../home/index.js';
import { EventLog, type EventToLog } from '../replay/index.js';
import type { Clock } from '../supervise/clock.js';

/**
 * Writes every event that enters the mailbox of a session's root machine to `events.jsonl` (design: architecture section 6). Events
 * that come before the folders exist are kept and written first. Never throws: xstate would carry a throw into whoever sent the
 * event, so the first failure is reported and the log stays shorter than the session.
 */
export class EventRecorder {
  readonly #clock: Clock;
  readonly #fail: (message: string) => void;
  #waiting: EventToLog[] = [];
  #log: EventLog | undefined;
  #failed = false;

  constructor(clock: Clock, fail: (message: string) => void) {
    this.#clock = clock;
    this.#fail = fail;
  }

  /** The inspector of the session's own actor system. */
  inspect(event: InspectionEvent): void {
    if (event.type !== '@xstate.event' || event.actorRef.sessionId !== event.rootId) return;
    const source = event.sourceRef as { readonly id?: string } | undefined;
    const from = source === undefined || event.sourceRef === event.actorRef ? undefined : source.id;
    this.#append({ at: this.#clock.now(), from, ev: event.event });
  }

  open(records: HeldDirectory, sessionId: string): void {
    this.#guard(() => {
      this.#log = new EventLog(records, { sessionId, chart: chartHash() });
      for (const event of this.#waiting) this.#log.append(event);
      this.#waiting = [];
    });
  }

  async flush(): Promise<void> {
    await this.#log?.flush();
  }

  close(): void {
    const log = this.#log;
    this.#failed = true;
    log?.close();
  }

  #append(event: EventToLog): void {
    if (this.#failed) return;
    if (this.#log === undefined) this.#waiting.push(event);
    else this.#guard(() => this.#log?.append(event));
  }

  #guard(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#failed = true;
      this.#fail(`the event log stops here: ${reasonOf(error)}`);
    }
  }
}

/** Tells one version of the session chart from another: states, transitions and names, not code. */
function chartHash(): string {
  return createHash('sha256').update(JSON.stringify(sessionMachine.config)).digest('hex');
}

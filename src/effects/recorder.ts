import type { ActorRefLike, InspectionEvent } from 'xstate';
import { sessionMachine } from '../../machines/session/machine.js';
import { reasonOf } from '../errors/index.js';
import type { HeldDirectory } from '../home/index.js';
import { EventLog, keyframeEvery } from '../replay/log.js';
import { chartHashes, machinesOf } from '../replay/machines.js';
import { entryOf, Mailboxes, type RecordedStep } from '../replay/mailboxes.js';
import type { Redact } from '../replay/plain.js';
import type { Clock } from '../supervise/clock.js';

/**
 * Writes every event that enters the mailbox of one of a session's machines to `events.jsonl`, with the state it led to (design:
 * architecture section 6, actors 5). While the machines run it only takes notes; lines are made and written, all at once, when they
 * rest. So what a session does does not wait for its log, and a killed process loses at most the events of its last step.
 *
 * Never throws: xstate would carry a throw into whoever sent the event, so the first failure is reported and the log stays shorter
 * than the session. Events that come before the folders exist are kept and written first.
 */
export class EventRecorder {
  readonly #mailboxes: Mailboxes;
  readonly #fail: (message: string) => void;
  #redact: Redact | undefined;
  #log: EventLog | undefined;
  #keyframeAt = 0;
  #isScheduled = false;
  /** By owner and event; only while somebody asks. */
  #places: WeakMap<object, WeakMap<object, number>> | undefined;
  #state: 'open' | 'closing' | 'closed' = 'open';

  constructor(clock: Clock, fail: (message: string) => void) {
    this.#mailboxes = new Mailboxes(() => clock.now());
    this.#fail = fail;
  }

  /** The inspector of the session's own actor system. */
  inspect(event: InspectionEvent): void {
    if (this.#state !== 'closed' && this.#mailboxes.inspect(event)) this.#schedule();
  }

  /** `redact` takes out of every text of an event or a state what nobody may read; what that is may grow while the session runs. */
  open(records: HeldDirectory, sessionId: string, redact?: Redact): void {
    this.#guard(() => {
      this.#redact = redact;
      const header = { sessionId, ...chartHashes(machinesOf(sessionMachine)) };
      this.#log = new EventLog(records, header, this.#redact);
    });
    this.#schedule();
  }

  /** Remembers from now on, or no more, where each event went: for `placeOf`. */
  keepPlaces(isKept: boolean): void {
    this.#places = isKept ? new WeakMap() : undefined;
  }

  /** Place in the log of an event that an actor got. Of one object that was sent to it twice, the later place. */
  placeOf(ref: ActorRefLike, event: object): number | undefined {
    const owner = this.#mailboxes.ownerOf(ref);
    return owner === undefined ? undefined : this.#places?.get(owner)?.get(event);
  }

  /** Resolves when everything that happened so far is on the disk. */
  async flush(): Promise<void> {
    // The caller may be an effect that is being started, in the middle of a step.
    await Promise.resolve();
    this.#write();
    await this.#log?.flush();
  }

  /** Closes the log once the session has ended, so that its last event is in it. */
  close(): void {
    if (this.#state === 'open') this.#state = 'closing';
    this.#schedule();
  }

  /** Microtasks run when no machine is in the middle of a step: every state is then complete. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#write();
      if (this.#state === 'closing' && this.#mailboxes.isOver) this.#finish();
    });
  }

  #write(): void {
    const log = this.#log;
    if (log === undefined || this.#state === 'closed') return;
    this.#guard(() => {
      const steps = this.#mailboxes.take();
      if (this.#places !== undefined) place(this.#places, steps, log.length);
      log.append(steps.map((step) => entryOf(step, this.#redact)));
      const last = steps.at(-1);
      if (last === undefined || log.length - this.#keyframeAt < keyframeEvery) return;
      this.#keyframeAt = log.length;
      log.keyframe(last.at, this.#mailboxes.tree());
    });
  }

  #finish(): void {
    this.#state = 'closed';
    this.#log?.close();
  }

  #guard(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#finish();
      this.#fail(`the event log stops here: ${reasonOf(error)}`);
    }
  }
}

function place(places: WeakMap<object, WeakMap<object, number>>, steps: readonly RecordedStep[], from: number): void {
  for (const [index, { owner, ev }] of steps.entries()) {
    const known = places.get(owner);
    if (known === undefined) places.set(owner, new WeakMap([[ev, from + index]]));
    else known.set(ev, from + index);
  }
}

import { Ring } from './ring.js';
import { type TurnSoFar, Turns } from './turns.js';
import type { LoggedEvent, Replay, StreamEvent } from './types.js';

/** Events a session holds for whoever comes back (spec/door.md 15.4). */
export const replayLimit = 512;

/** One who listens. Called in the middle of whatever happened: must not throw and must not wait. */
export interface BusListener {
  event(logged: LoggedEvent): void;
  /** Nothing follows. */
  ended(): void;
}

/**
 * The event log of one session as its streams see it: numbers from 1 without a hole, the last events kept, everybody told at once.
 * It never waits for a listener; who cannot keep up loses events by its own bound (connection.ts). Not the event log that replay
 * reads (src/replay): this one is held in memory and forgets.
 */
export class EventBus {
  readonly #ring: Ring<LoggedEvent>;
  readonly #listeners = new Set<BusListener>();
  readonly #turns = new Turns();
  #lastId = 0;
  #isEnded = false;

  constructor(limit = replayLimit) {
    this.#ring = new Ring(limit);
  }

  /** Id of the last event; 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Gives the event its number and tells every listener. Does nothing once the bus has ended. */
  publish(event: StreamEvent): void {
    if (this.#isEnded) return;
    this.#lastId += 1;
    const logged: LoggedEvent = Object.freeze({ id: this.#lastId, event });
    this.#ring.push(logged);
    this.#turns.note(logged);
    for (const listener of [...this.#listeners]) listener.event(logged);
  }

  /** What is still held behind event `lastSeenId` (spec/door.md 15.4, "Replay from N"). An id never given out here gets everything. */
  since(lastSeenId: number): Replay {
    const oldest = this.#ring.oldest;
    if (oldest === undefined) return { events: [] };
    const isLost = lastSeenId > this.#lastId || oldest.id > lastSeenId + 1;
    if (isLost) return { firstAvailableId: oldest.id, events: [...this.#ring] };
    return { events: [...this.#ring].filter(({ id }) => id > lastSeenId) };
  }

  /**
   * What the turn of a task that is under way had told by event `id`, from its beginning, however much of it the log still holds.
   * `undefined` when there is none, or when it began later. Everything behind `id` must still be held.
   */
  turnAt(taskId: string, id: number): TurnSoFar | undefined {
    const later = [...this.#ring].filter((logged) => logged.id > id);
    return this.#turns.at(taskId, id, later);
  }

  /** Tells `listener` of everything from now on. Returns what ends that. */
  listen(listener: BusListener): () => void {
    if (this.#isEnded) listener.ended();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells everybody that nothing follows. Idempotent. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener.ended();
  }
}

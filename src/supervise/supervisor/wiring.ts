import type { ActorScope, EventObject } from 'xstate';
import type { Child } from './child.js';
import type {
  AnySystem,
  InternalEvent,
  ReportContext,
  SupervisorEmitted,
  SupervisorEvent,
  SupervisorOptions,
  SupervisorSnapshot,
} from './spec.js';

export type SupervisorScope = ActorScope<SupervisorSnapshot, SupervisorEvent, AnySystem, SupervisorEmitted>;

/** Node fires a timer with a longer delay at once. */
const longestDelayMs = 2 ** 31 - 1;

/** What a supervisor reaches the outside with: its own mailbox, timers of its actor system, emitted events, reports. */
export class Wiring {
  readonly #scope: SupervisorScope;
  readonly #onReport: SupervisorOptions['report'];
  #shut = false;

  constructor(scope: SupervisorScope, onReport: SupervisorOptions['report']) {
    this.#scope = scope;
    this.#onReport = onReport;
  }

  get id(): string {
    return this.#scope.self.id;
  }

  emit(event: SupervisorEmitted): void {
    this.#scope.emit(event);
  }

  /** Puts an event into the supervisor's mailbox; after `shut`, drops it. */
  tell(event: InternalEvent): void {
    if (!this.#shut) (this.#scope.self.send as (event: EventObject) => void)(event);
  }

  /** Nothing arrives any more: xstate warns about messages to an actor that has ended. */
  shut(): void {
    this.#shut = true;
  }

  /** `event` arrives after `delayMs`, at most 24.8 days; an infinite delay never ends. A key holds one timer at a time. */
  schedule(key: string, event: InternalEvent, delayMs: number): void {
    if (delayMs === Number.POSITIVE_INFINITY) return;
    const { self, system } = this.#scope;
    system.scheduler.schedule(self, self, event, Math.min(delayMs, longestDelayMs), key);
  }

  cancel(key: string): void {
    this.#scope.system.scheduler.cancel(this.#scope.self, key);
  }

  report(context: ReportContext, reason: unknown, child: Child): void {
    try {
      this.#onReport({ supervisor: this.id, context, reason, offender: child.offender });
    } catch {
      // A reporter that fails must not take the supervisor, and every child with it, down.
    }
  }
}

import { type TraceEvents, type TraceEventType, traceEvents } from './events.js';

/**
 * Which line a new line hangs on (spec/trace.md section 2). Knows the session's `session_start`, each open task's
 * `task_start` and that task's latest own `inference`, by their event ids.
 */
export class TraceNodes {
  #session: string | null = null;
  readonly #tasks = new Map<string, { readonly start: string; turn?: string }>();

  /** The parent of the line about to be written; `null` in a trace without `session_start`. */
  parentOf<E extends TraceEventType>(event: E, fields: TraceEvents[E]): string | null {
    const level = isHookCompletion(event, fields) ? 'turn' : traceEvents[event].level;
    if (level === 'root') return null;
    const task = level === 'session' ? undefined : this.#tasks.get(taskOf(fields) ?? '');
    return (level === 'turn' ? task?.turn : undefined) ?? task?.start ?? this.#session;
  }

  /** Notes that the line was written. */
  written<E extends TraceEventType>(event: E, fields: TraceEvents[E], eventId: string): void {
    const id = taskOf(fields);
    if (event === 'session_start') this.#session = eventId;
    else if (event === 'task_start' && id !== undefined) this.#tasks.set(id, { start: eventId });
    else if (event === 'task_end' && id !== undefined) this.#tasks.delete(id);
    else if (event === 'inference' && !isHookCompletion(event, fields)) {
      const task = this.#tasks.get(id ?? '');
      if (task !== undefined) task.turn = eventId;
    }
  }
}

function taskOf(fields: object): string | undefined {
  const { task_id: id } = fields as { readonly task_id?: string | null };
  return id ?? undefined;
}

/** A hook's model call is a child of the turn that was current when it was made, never a turn of its own. */
function isHookCompletion(event: TraceEventType, fields: object): boolean {
  return event === 'inference' && (fields as { readonly origin?: string }).origin !== undefined;
}

/**
 * What a stateful driver remembers for us, and whether the next call may build on it (drivers.md section 6). Pure: the
 * state is a value in the session, changed only by `reduceContinuation`.
 */
export interface Continuation {
  /** The driver's `continuation_id`. */
  readonly id: string;
  readonly contextId: string;
  /** Name of the driver choice that gave the id; another provider knows nothing of it. */
  readonly choice: string;
  /** How many messages of the conversation the provider has. */
  readonly ackedLen: number;
}

export type ContinuationEvent =
  | {
      readonly type: 'driver.answered';
      /** Non-empty `continuation_id` metadata of the answer. */
      readonly continuationId?: string | undefined;
      readonly contextId: string;
      readonly choice: string;
      /** Length of the conversation the request brought the provider up to. */
      readonly messageCount: number;
    }
  | { readonly type: 'context.replaced' }
  | {
      /**
       * A threaded task ended with an answer, and that assistant message is in the record; the provider wrote it, so it has
       * it. Not for any other ending: what a failed task left in the record the provider never saw.
       */
      readonly type: 'answer.recorded';
      readonly contextId: string;
      /** Length of the conversation with that message. */
      readonly messageCount: number;
    };

export function reduceContinuation(
  state: Continuation | undefined,
  event: ContinuationEvent,
): Continuation | undefined {
  switch (event.type) {
    case 'driver.answered':
      return event.continuationId === undefined || event.continuationId === ''
        ? undefined
        : {
            id: event.continuationId,
            contextId: event.contextId,
            choice: event.choice,
            ackedLen: event.messageCount,
          };
    case 'context.replaced':
      return undefined;
    case 'answer.recorded':
      if (state?.contextId !== event.contextId) return state;
      // Past the answer only: refusals of calls it still held come behind it, and those are news to the provider.
      return { ...state, ackedLen: Math.min(event.messageCount, state.ackedLen + 1) };
  }
}

/**
 * The continuation to send with the next call, as `buildRequest` takes it; undefined for a full resend. A state of another
 * context or choice does not apply, nor one whose `ackedLen` leaves no message to send.
 */
export function usableContinuation(
  state: Continuation | undefined,
  call: { readonly contextId: string; readonly choice: string; readonly messageCount: number },
): { readonly id: string; readonly from: number } | undefined {
  if (state === undefined || state.contextId !== call.contextId || state.choice !== call.choice) return undefined;
  if (state.ackedLen >= call.messageCount) return undefined;
  return { id: state.id, from: state.ackedLen };
}

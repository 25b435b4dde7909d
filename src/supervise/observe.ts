import type { ActorRef, AnyActorRef, EventObject, Snapshot, SnapshotFrom, Subscription } from 'xstate';

/**
 * Watches an actor with an error handler in place. The only way to watch one in this project (test/supervise/lint.test.ts).
 *
 * xstate turns the error of an actor into an uncaught exception of the process when one of its observers has no error handler,
 * even if the parent handles it. What `next` or `complete` throw goes to `error` too.
 */
export function observe<TRef extends AnyActorRef>(
  ref: TRef,
  observer: {
    readonly next?: (snapshot: SnapshotFrom<TRef>) => void;
    readonly error: (error: unknown) => void;
    readonly complete?: () => void;
  },
): Subscription {
  const { next, error, complete } = observer;
  return ref.subscribe({
    error,
    ...(next && { next: (snapshot: SnapshotFrom<TRef>) => shield(() => next(snapshot), error) }),
    ...(complete && { complete: () => shield(complete, error) }),
  });
}

/**
 * Hears the events an actor emits; what `listener` throws goes to `fault` and not to the process.
 *
 * Nothing is buffered: call it before the actor starts.
 */
export function listen<
  TSnapshot extends Snapshot<unknown>,
  TEvent extends EventObject,
  TEmitted extends EventObject,
  TType extends TEmitted['type'],
>(
  ref: ActorRef<TSnapshot, TEvent, TEmitted>,
  type: TType,
  listener: (event: Extract<TEmitted, { type: TType }>) => void,
  fault: (error: unknown) => void,
): Subscription {
  return ref.on(type, (event) => shield(() => listener(event as Extract<TEmitted, { type: TType }>), fault));
}

function shield(run: () => void, fault: (error: unknown) => void): void {
  try {
    run();
  } catch (error) {
    fault(error);
  }
}

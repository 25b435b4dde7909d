/**
 * Two fences around code that runs inside an actor. Neither makes impure actions acceptable: machines stay pure (machines/).
 */

/** A throw that nobody planned for. Always a fault of this project, never of its input. */
export interface BugEvent {
  readonly type: 'bug';
  /** Which action or effect threw. */
  readonly name: string;
}

/**
 * A wrapper for custom actions that keeps their throws away from xstate.
 *
 * A machine whose action throws ends in `error` with its children still running (statelyai/xstate#5153). Wrapped, the throw is
 * reported and comes back to the machine as a `bug` event, so that the chart says what follows.
 */
export function safeWith(report: (name: string, error: unknown) => void) {
  return <TArgs, TParams = undefined>(name: string, action: (args: TArgs, params: TParams) => void) =>
    (args: TArgs, params: TParams): void => {
      try {
        action(args, params);
      } catch (error) {
        report(name, error);
        (args as { self?: { send(event: BugEvent): void } } | undefined)?.self?.send({ type: 'bug', name });
      }
    };
}

/**
 * `run` as a listener for timers, emitters and streams inside a `fromCallback` effect: what it throws, now or in a promise it
 * returns, reaches the parent as the event that `toEvent` makes, where it would otherwise end the process.
 */
export function guard<TArgs extends unknown[], TEvent>(
  sendBack: (event: TEvent) => void,
  toEvent: (error: unknown) => TEvent,
  run: (...args: TArgs) => unknown,
): (...args: TArgs) => void {
  const fail = (error: unknown) => sendBack(toEvent(error));
  return (...args) => {
    try {
      const result = run(...args);
      if (result instanceof Promise) result.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

/**
 * A supervisor: an actor that starts children, brings them back by rule, and takes them down in order. The contract is that of
 * OTP's `supervisor`; where it differs, it says so. The rules are in supervisor/supervision.ts, the types in supervisor/spec.ts.
 *
 *     murmur (root machine)
 *       └─ sessions            createSupervisor({...})
 *            ├─ ses_a          root of its own actor system, generation 1
 *            └─ ses_b          root of its own actor system, generation 3
 *
 * Own systems. Every child is the root of its own actor system, with its own clock, logger and inspectors. Spawning one costs the
 * same however many there are, and stopping one walks no timer of another.
 *
 * Restart. A `permanent` child comes back after any exit, a `transient` one after an abnormal exit (an error, or an output that
 * `isAbnormal` names), a `temporary` one never. A child that `sup.terminate` or `sup.drain` ended never comes back.
 *
 * Strategy. `one_for_one` restarts the child that ended; `one_for_all` takes every other child down and restarts all;
 * `rest_for_one` does so with the children started after it. Going down is in reverse start order, coming back in start order.
 * Temporary children of such a group go down and stay down. A child spawned meanwhile starts in its turn, with the group.
 *
 * Intensity. More than `maxRestarts` restarts within a sliding `withinMs` (default 1 in 5 000 ms) end the supervisor: it emits
 * `sup.escalated`, takes every child down, and fails with `RestartIntensityError`. A group restart counts once.
 *
 * Back-off (not in OTP). `backoff(attempt)` milliseconds pass before a restart. `attempt` starts again at 1 after an incarnation
 * that ran longer than `withinMs`.
 *
 * Start. A child that fails while starting counts as an abnormal exit with the context `start_error` (OTP returns the error to the
 * caller instead; an event has no caller).
 *
 * Stop. `drainEvent` is sent, then `shutdown` milliseconds pass, then the child is stopped. `sup.drain` goes through the children in
 * reverse start order, one at a time or `together`; its `deadlineMs` is one budget for all of them, so deadlines never add up, and
 * a second drain can only shorten it. Then the supervisor is done. A `shutdown: Infinity` child that never ends holds an unbounded
 * drain for ever, as in OTP.
 *
 * Release. `onDispose(id, exit)` is awaited after every exit, for at most `disposeMs`: before a restart, and before the supervisor
 * is done. So a drain takes at most its deadline plus `disposeMs`.
 *
 * Reports. `report({supervisor, context, reason, offender})` is called for every abnormal exit, every permanent child that ended, every child
 * stopped at its deadline, every failed or late release, and on giving up.
 *
 * Generations. Each start gets the next number. Events about an older incarnation are dropped.
 *
 * Does not stop: code that holds a child's reference and stops it (seen as a forced shutdown); a listener that throws, which
 * xstate reports to the process (use `listen` of observe.ts); a child that blocks the thread. Stopping the supervisor's own actor,
 * instead of draining it, stops the children at once and waits for no release.
 */
import type { Snapshot } from 'xstate';
import { checkIntensity } from './supervisor/intensity.js';
import type { SupervisorLogic, SupervisorOptions, SupervisorSnapshot, SupervisorView } from './supervisor/spec.js';
import { Supervision } from './supervisor/supervision.js';

const active = { status: 'active', output: undefined, error: undefined } as const;
const done = { status: 'done', output: undefined, error: undefined } as const;
const stopped = { status: 'stopped', output: undefined, error: undefined } as const;

/** Actor logic of a supervisor; the file header is its contract. Throws `RangeError` on an unusable intensity when created. */
export function createSupervisor(options: SupervisorOptions): SupervisorLogic {
  if (options.intensity !== undefined) checkIntensity(options.intensity);
  const fresh = (context: SupervisorView): SupervisorSnapshot => ({ ...active, context });
  return {
    config: { id: 'supervisor' },

    getInitialSnapshot: (scope) => fresh(new Supervision(scope, options)),

    start: (snapshot) => {
      for (const child of options.children ?? []) (snapshot.context as Supervision).spawn(child);
    },

    transition: (snapshot, event) => {
      const supervision = snapshot.context as Supervision;
      supervision.handle(event);
      const { context } = snapshot;
      if ((event as { type: string }).type === 'xstate.stop') return { ...stopped, context };
      if (supervision.phase !== 'closed') return { ...active, context };
      if (supervision.failure === undefined) return { ...done, context };
      return { status: 'error', output: undefined, error: supervision.failure, context };
    },

    // Children are systems of their own and are not stored with their supervisor: a restored one starts afresh.
    getPersistedSnapshot: ({ status, output, error }) => ({ status, output, error }) as Snapshot<undefined>,
    restoreSnapshot: (_persisted, scope) => fresh(new Supervision(scope, options)),
  };
}

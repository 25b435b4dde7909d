/**
 * The effects of machines/liveness: one running record is read, its door asked, its end noticed. They answer with verdicts and
 * never throw for what they find.
 */
import { fromCallback, fromPromise, type NonReducibleUnknown } from 'xstate';
import { type AboutSession, type DoorReading, livenessMachine, type Reading } from '../../machines/liveness/machine.js';
import { type RunningRecord, readProcess, verify, watchExit } from '../liveness/index.js';
import type { Clock } from '../supervise/clock.js';

export interface LivenessWorld {
  readonly record: RunningRecord;
  readonly clock: Clock;
  /** Runs one question to a door in its turn: a machine full of sessions is not asked all at once. */
  readonly inTurn: <T>(ask: () => Promise<T>, signal: AbortSignal) => Promise<T>;
}

/** The liveness chart of one record with its effects in place. */
export function livenessLogic({ record, clock, inTurn }: LivenessWorld): typeof livenessMachine {
  return livenessMachine.provide({
    actors: {
      read: fromPromise<Reading, AboutSession>(async () => {
        const { state, evidence } = readProcess(record, { now: clock.now });
        const reason = state.verdict === 'Alive' ? null : state.reason;
        return { verdict: state.verdict, reason, evidence, at: clock.now() };
      }),
      probe: fromPromise<DoorReading, AboutSession>(({ signal }) =>
        inTurn(async () => {
          const liveness = await verify(record, { now: clock.now, signal });
          const reason = liveness.verdict === 'Live' ? null : liveness.reason;
          return { door: liveness.verdict, reason, evidence: liveness.evidence, at: clock.now() };
        }, signal),
      ),
      watch: watcher(record),
    },
  });
}

/** Reports `exit.noticed` once, when layers 1 and 2 say that the process of the record is gone. */
export function watcher<Input extends NonReducibleUnknown>(record: RunningRecord) {
  return fromCallback<{ type: string }, Input>(({ sendBack }) => {
    const over = new AbortController();
    watchExit(record, { signal: over.signal, keepAlive: true }).then(
      () => sendBack({ type: 'exit.noticed' }),
      // Stopped, or it cannot be watched: the chart looks again by itself.
      () => undefined,
    );
    return () => over.abort();
  });
}

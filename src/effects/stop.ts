/**
 * The effects of machines/stop: the door is asked, the trace read, the process signalled and watched.
 * Not the order of these (the chart's) and not what is printed (src/cli/stop-view.ts).
 */
import { createActor, fromPromise } from 'xstate';
import {
  type Asked,
  type Settled,
  type SignalOutcome,
  type StopOutput,
  type StopReading,
  type StopSignal,
  stopMachine,
} from '../../machines/stop/machine.js';
import type { MurmurHome } from '../home/index.js';
import { processState, pruneRecord, type RunningRecord, type Signaller, signalProcess } from '../liveness/index.js';
import { type Clock, systemClock } from '../supervise/clock.js';
import { observe } from '../supervise/observe.js';
import { watcher } from './liveness.js';
import { askLimitMs, askToStop } from './stop-door.js';
import { settleMs, TraceTail } from './stop-trace.js';

export interface StopOptions {
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly clock?: Clock;
  readonly signal?: Signaller;
  readonly read?: (record: RunningRecord) => StopReading;
}

/** What a stop may take beyond its grace, everything at its slowest. */
const slackMs = askLimitMs + settleMs + 5_000 + 3_000;

/** Ends the session of `record` and says how. Resolves when its process is gone, or with the reason it is not. */
export function stopSession(home: MurmurHome, record: RunningRecord, options: StopOptions): Promise<StopOutput> {
  const { graceMs, clock = systemClock, signal = signalProcess, read = readNow } = options;
  let trace: TraceTail | undefined;
  const logic = stopMachine.provide({
    actors: {
      read: fromPromise<StopReading, null>(async () => read(record)),
      ask: fromPromise<Asked, null>(({ signal: aborted }) => {
        trace = new TraceTail(record.workdir);
        return askToStop(record, aborted);
      }),
      settle: fromPromise<Settled, { readonly canceled: readonly string[] }>(async ({ input, signal: aborted }) => {
        const { canceled } = input;
        if (canceled.length === 0 || trace?.exists !== true) return { unended: [] };
        return { unended: await trace.settled(canceled, clock, aborted) };
      }),
      signal: fromPromise<SignalOutcome, { readonly signal: StopSignal }>(async ({ input }) =>
        signal(record, input.signal),
      ),
      watch: watcher(record),
      prune: fromPromise<null, null>(async () => {
        pruneRecord(home, record);
        return null;
      }),
    },
  });
  const input = { sessionId: record.session_id, pid: record.pid, graceMs, limitMs: graceMs + slackMs };
  return new Promise((resolve, reject) => {
    const actor = createActor(logic, { input });
    observe(actor, { error: reject, complete: () => resolve(actor.getSnapshot().output!) });
    actor.start();
  });
}

function readNow(record: RunningRecord): StopReading {
  const state = processState(record);
  return { verdict: state.verdict, reason: state.verdict === 'Alive' ? null : state.reason };
}

/**
 * Whether the process of one running record is still the process that wrote it (spec/liveness.md section 5).
 *
 * `Alive`, `Unverified` and `Gone` are kept apart to the end: only `Gone` is evidence that a session ended. A verdict is emitted once
 * per change, with what was read and when. Nothing is removed and nothing is signalled here: ../registry/machine.ts prunes,
 * ../stop/machine.ts signals.
 */
import { enqueueActions, setup } from 'xstate';
import { faultOf, oneShot, ongoing } from '../effect.js';
import type {
  DoorReading,
  LivenessContext,
  LivenessEmitted,
  LivenessEvent,
  LivenessInput,
  LivenessOutput,
  Reading,
} from './types.js';

export type * from './types.js';

/** Which record an effect is about. The record itself, with its tokens, stays with the effects. */
export interface AboutSession {
  readonly sessionId: string;
}

export const livenessMachine = setup({
  types: {
    context: {} as LivenessContext,
    input: {} as LivenessInput,
    output: {} as LivenessOutput,
    events: {} as LivenessEvent,
    emitted: {} as LivenessEmitted,
  },
  actors: {
    /** Layers 1 and 2: the pid, and when its process started. Local. */
    read: oneShot<Reading, AboutSession>('liveness.read'),
    /** Layer 3: whether the door answers as this session. Bounded by deadlines of its own. */
    probe: oneShot<DoorReading, AboutSession>('liveness.probe'),
    /** Reports `exit.noticed` once, when the process of the record has ended. */
    watch: ongoing<AboutSession>('liveness.watch'),
  },
  actions: {
    signalLiveness: enqueueActions(({ enqueue, context }, { verdict, reason, evidence, at }: Reading) => {
      if (verdict === context.verdict) return;
      enqueue.assign({ verdict, door: null, reason, since: at });
      enqueue.emit({ type: verdict, sessionId: context.sessionId, reason, evidence, at });
    }),
    signalDoor: enqueueActions(({ enqueue, context }, { door, reason, evidence, at }: DoorReading) => {
      if (door === 'Gone' || door === context.door) return;
      enqueue.assign({ door, reason, since: at });
      enqueue.emit({ type: door, sessionId: context.sessionId, reason, evidence, at });
    }),
  },
  guards: {
    isAlive: (_, reading: Reading) => reading.verdict === 'Alive',
    isGone: (_, reading: Reading) => reading.verdict === 'Gone',
    isLive: (_, reading: DoorReading) => reading.door === 'Live',
    hasEnded: (_, reading: DoorReading) => reading.door === 'Gone',
  },
  delays: {
    recheck: ({ context }) => context.recheckMs,
  },
}).createMachine({
  id: 'liveness',
  context: ({ input }) => ({ ...input, verdict: null, door: null, reason: null, since: null }),
  initial: 'verifying',
  output: ({ context }) => ({ sessionId: context.sessionId, reason: context.reason ?? '' }),
  states: {
    verifying: {
      description: 'Is the pid held, and by the process that wrote the record?',
      invoke: readInvoke('read', 'alive'),
    },
    alive: {
      description: 'The process that wrote the record runs. Its end is noticed when it happens, not at the next look.',
      invoke: {
        id: 'watch',
        src: 'watch',
        input: ({ context }) => ({ sessionId: context.sessionId }),
        // Without a watcher the end is noticed at the next look.
        onError: {},
      },
      on: { 'exit.noticed': '.rereading' },
      initial: 'probing',
      states: {
        probing: {
          description: 'Does its door answer as this session?',
          invoke: {
            id: 'probe',
            src: 'probe',
            input: ({ context }) => ({ sessionId: context.sessionId }),
            onDone: [
              {
                guard: { type: 'isLive', params: ({ event }) => event.output },
                target: 'live',
                actions: { type: 'signalDoor', params: ({ event }) => event.output },
              },
              { guard: { type: 'hasEnded', params: ({ event }) => event.output }, target: 'rereading' },
              { target: 'unreachable', actions: { type: 'signalDoor', params: ({ event }) => event.output } },
            ],
            onError: {
              target: 'unreachable',
              actions: {
                type: 'signalDoor',
                params: ({ context, event }) => ({ door: 'Unreachable' as const, ...broken(context, event.error) }),
              },
            },
          },
        },
        live: { after: { recheck: '#liveness.verifying' } },
        unreachable: {
          description: 'Kept: the record is the only handle to a process that runs.',
          after: { recheck: '#liveness.verifying' },
        },
        rereading: {
          description: 'It is said to have ended. A report is no evidence: the process is read again.',
          invoke: readInvoke('reread', '#liveness.alive.probing'),
        },
      },
    },
    unverified: {
      description: 'The start time could not be read, which is no evidence of anything: never signalled, never pruned.',
      after: { recheck: 'verifying' },
    },
    gone: { type: 'final', description: 'No process holds the pid, or another process does.' },
  },
});

/** One reading of layers 1 and 2, and where each verdict leads. */
function readInvoke<Id extends 'read' | 'reread', Target extends 'alive' | '#liveness.alive.probing'>(
  id: Id,
  alive: Target,
) {
  const params = ({ event }: { event: { output: Reading } }) => event.output;
  const actions = { type: 'signalLiveness' as const, params };
  return {
    id,
    src: 'read' as const,
    input: ({ context }: { context: LivenessContext }) => ({ sessionId: context.sessionId }),
    onDone: [
      { guard: { type: 'isAlive' as const, params }, target: alive, actions },
      { guard: { type: 'isGone' as const, params }, target: '#liveness.gone' as const, actions },
      { target: '#liveness.unverified' as const, actions },
    ],
    onError: {
      target: '#liveness.unverified' as const,
      actions: {
        type: 'signalLiveness' as const,
        params: ({ context, event }: { context: LivenessContext; event: { error: unknown } }) => ({
          verdict: 'Unverified' as const,
          ...broken(context, event.error),
        }),
      },
    },
  };
}

/** What is left of a reading whose effect broke: a reason, at the time of the reading before. */
function broken(context: LivenessContext, error: unknown) {
  return { reason: faultOf(error).message, evidence: [], at: context.since ?? 0 };
}

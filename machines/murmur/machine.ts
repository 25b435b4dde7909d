/**
 * The root of one `mur` process: open -> draining -> closed. Owns signals and the exit code; sessions live under the supervisor.
 *
 * The first signal drains, the second forces, and a drain that takes too long is forced too (spec/session.md 12).
 */
import { type AnyActorLogic, assign, sendTo, setup } from 'xstate';
import { type Fault, faultOf, oneShot, ongoing } from '../effect.js';

export type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

export interface MurmurInput {
  /** Longest time the sessions get from the first request to stop; then they are given up. */
  readonly forceAfterMs: number;
  /** A script capsule has no way to wind down: its first signal ends it at once (spec/cli.md 11.5). */
  readonly firstSignal: 'drains' | 'forces';
}

export interface MurmurContext extends MurmurInput {
  /** Sessions started and not yet ended. */
  readonly alive: number;
  readonly signal: Signal | null;
  readonly forced: boolean;
  readonly fault: Fault | null;
}

export interface MurmurOutput {
  readonly signal: Signal | null;
  /** True when the process must exit now, with 128 + the signal's number, whatever is left. */
  readonly forced: boolean;
  /** What broke above the sessions: the supervisor gave up, signals could not be heard, or nobody caught an error. */
  readonly fault: Fault | null;
}

export type MurmurEvent =
  | { readonly type: 'session.started'; readonly id: string }
  | { readonly type: 'session.exited'; readonly id: string }
  | { readonly type: 'signal.received'; readonly signal: Signal }
  /** The deadline, or a program that embeds mur. It never counts as a signal (spec/session.md 11). */
  | { readonly type: 'stop.requested' }
  /** An error that nobody caught reached the process. What runs now cannot be trusted, so it ends while it still can. */
  | { readonly type: 'bug.surfaced'; readonly error: Fault };

export const murmurMachine = setup({
  types: {
    context: {} as MurmurContext,
    input: {} as MurmurInput,
    output: {} as MurmurOutput,
    events: {} as MurmurEvent,
  },
  actors: {
    /** The supervisor of sessions (src/supervise/supervisor.ts). It completes once drained. */
    sessions: oneShot<unknown, undefined>('murmur.sessions') as AnyActorLogic,
    /** Reports what happens to the process: `signal.received`, `bug.surfaced`. */
    signals: ongoing<undefined>('murmur.signals'),
  },
  actions: {
    countStarted: assign({ alive: ({ context }) => context.alive + 1 }),
    countExited: assign({ alive: ({ context }) => Math.max(0, context.alive - 1) }),
    setSignal: assign({ signal: ({ context }, params: { signal: Signal }) => context.signal ?? params.signal }),
    setForced: assign({ forced: true, signal: ({ context }) => context.signal ?? ('SIGTERM' as const) }),
    setFault: assign({ fault: ({ context }, params: { error: unknown }) => context.fault ?? faultOf(params.error) }),
    drainSessions: sendTo('sessions', { type: 'sup.drain' }),
  },
  guards: {
    isLast: ({ context }) => context.alive <= 1,
    forcesAtOnce: ({ context }) => context.firstSignal === 'forces',
    isSignaled: ({ context }) => context.signal !== null,
  },
  delays: { forceAfter: ({ context }) => context.forceAfterMs },
}).createMachine({
  id: 'murmur',
  context: ({ input }) => ({ ...input, alive: 0, signal: null, forced: false, fault: null }),
  initial: 'active',
  output: ({ context }) => ({ signal: context.signal, forced: context.forced, fault: context.fault }),
  states: {
    active: {
      invoke: [
        {
          id: 'sessions',
          src: 'sessions',
          onDone: 'closed',
          onError: { target: 'closed', actions: { type: 'setFault', params: ({ event }) => event } },
        },
        {
          id: 'signals',
          src: 'signals',
          // Sessions that nobody can ask to stop are not left running.
          onError: { target: '.stopping', actions: { type: 'setFault', params: ({ event }) => event } },
        },
      ],
      initial: 'open',
      states: {
        open: {
          description: 'Sessions start and end.',
          on: {
            'session.started': { actions: 'countStarted' },
            'session.exited': [
              { guard: 'isLast', target: 'draining', actions: 'countExited' },
              { actions: 'countExited' },
            ],
            'signal.received': [
              {
                guard: 'forcesAtOnce',
                target: '#murmur.forced',
                actions: [{ type: 'setSignal', params: ({ event }) => event }, 'setForced'],
              },
              { target: 'stopping', actions: { type: 'setSignal', params: ({ event }) => event } },
            ],
            'stop.requested': 'stopping',
            'bug.surfaced': { target: 'stopping', actions: { type: 'setFault', params: ({ event }) => event } },
          },
        },
        draining: {
          description: 'No session is left; the supervisor closes.',
          entry: 'drainSessions',
          on: { 'bug.surfaced': { actions: { type: 'setFault', params: ({ event }) => event } } },
        },
        stopping: {
          description: 'Every session was asked to end. A second signal, or too much time, forces it.',
          entry: 'drainSessions',
          on: {
            'session.exited': { actions: 'countExited' },
            // Starts no new countdown: errors that keep coming must not hold the end off.
            'bug.surfaced': { actions: { type: 'setFault', params: ({ event }) => event } },
            'signal.received': [
              { guard: 'isSignaled', target: '#murmur.forced', actions: 'setForced' },
              { actions: { type: 'setSignal', params: ({ event }) => event } },
            ],
          },
          after: { forceAfter: { target: '#murmur.forced', actions: 'setForced' } },
        },
      },
    },
    closed: { type: 'final' },
    forced: { type: 'final', description: 'The process exits at once with 128 + the signal number.' },
  },
});

/**
 * The root of one `mur` process: open -> draining -> closed. Owns signals and the exit code; sessions live under the supervisor.
 *
 * The first signal drains, the second forces, and a drain that takes too long is forced too (spec/session.md 12).
 */
import { type AnyActorLogic, assign, sendTo, setup } from 'xstate';
import { oneShot, ongoing } from '../effect.js';

export type Signal = 'SIGTERM' | 'SIGINT';

export interface MurmurInput {
  /** Longest time from the first signal to the end of the process. */
  readonly forceAfterMs: number;
}

export interface MurmurContext extends MurmurInput {
  /** Sessions started and not yet ended. */
  readonly alive: number;
  readonly signal: Signal | null;
  readonly forced: boolean;
}

export interface MurmurOutput {
  readonly signal: Signal | null;
  /** True when the process must exit now, with 128 + the signal's number, whatever is left. */
  readonly forced: boolean;
}

export type MurmurEvent =
  | { readonly type: 'session.started'; readonly id: string }
  | { readonly type: 'session.exited'; readonly id: string }
  | { readonly type: 'signal.received'; readonly signal: Signal };

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
    /** Listens for process signals and reports each as `signal.received`. */
    signals: ongoing<undefined>('murmur.signals'),
  },
  actions: {
    countStarted: assign({ alive: ({ context }) => context.alive + 1 }),
    countExited: assign({ alive: ({ context }) => Math.max(0, context.alive - 1) }),
    setSignal: assign({ signal: ({ context }, params: { signal: Signal }) => context.signal ?? params.signal }),
    setForced: assign({ forced: true, signal: ({ context }) => context.signal ?? ('SIGTERM' as const) }),
    drainSessions: sendTo('sessions', { type: 'sup.drain' }),
  },
  guards: { isLast: ({ context }) => context.alive <= 1 },
  delays: { forceAfter: ({ context }) => context.forceAfterMs },
}).createMachine({
  id: 'murmur',
  context: ({ input }) => ({ ...input, alive: 0, signal: null, forced: false }),
  initial: 'active',
  output: ({ context }) => ({ signal: context.signal, forced: context.forced }),
  states: {
    active: {
      invoke: [
        { id: 'sessions', src: 'sessions', onDone: 'closed', onError: 'closed' },
        { id: 'signals', src: 'signals' },
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
            'signal.received': { target: 'stopping', actions: { type: 'setSignal', params: ({ event }) => event } },
          },
        },
        draining: {
          description: 'No session is left; the supervisor closes.',
          entry: 'drainSessions',
        },
        stopping: {
          description: 'A signal asked every session to end. A second one, or too much time, forces it.',
          entry: 'drainSessions',
          on: {
            'session.exited': { actions: 'countExited' },
            'signal.received': { target: '#murmur.forced', actions: 'setForced' },
          },
          after: { forceAfter: { target: '#murmur.forced', actions: 'setForced' } },
        },
      },
    },
    closed: { type: 'final' },
    forced: { type: 'final', description: 'The process exits at once with 128 + the signal number.' },
  },
});

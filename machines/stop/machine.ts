/**
 * Ends one session from outside: asks it, then SIGTERM, then SIGKILL, and reports success only once its process is gone
 * (spec/liveness.md section 13).
 *
 * Every wait is a named delay, and one limit holds for all of them together. A process that cannot be verified gets no signal. What
 * could not be done is the output's `fault`, never a throw. Read next: src/effects/stop.ts (what does it).
 */
import { assign, setup } from 'xstate';
import { type Fault, faultOf, oneShot, ongoing } from '../effect.js';
import type {
  Asked,
  Settled,
  SignalOutcome,
  StopContext,
  StopEvent,
  StopInput,
  StopOutput,
  StopReading,
  StopSignal,
} from './types.js';

export type * from './types.js';

/** How long a process gets to go away after SIGKILL. */
const confirmMs = 5_000;

type Delivery = { readonly signal: StopSignal; readonly sent: SignalOutcome };

export const stopMachine = setup({
  types: {
    context: {} as StopContext,
    input: {} as StopInput,
    output: {} as StopOutput,
    events: {} as StopEvent,
  },
  actors: {
    /** Layers 1 and 2, now. */
    read: oneShot<StopReading, null>('stop.read'),
    /** `session/stop` at the door. Bounded by deadlines of its own. */
    ask: oneShot<Asked, null>('stop.ask'),
    /** Waits until the trace records the end of each canceled task, for a bounded time. Of none: not at all. */
    settle: oneShot<Settled, { readonly canceled: readonly string[] }>('stop.settle'),
    /** Verifies and delivers in one place. */
    signal: oneShot<SignalOutcome, { readonly signal: StopSignal }>('stop.signal'),
    /** Reports `exit.noticed` once, when layers 1 and 2 say that the process is gone. */
    watch: ongoing<null>('stop.watch'),
    /** Removes the record of a process that is gone. */
    prune: oneShot<null, null>('stop.prune'),
  },
  actions: {
    setAsked: assign({ asked: (_, params: Asked) => params }),
    setUnended: assign({ unended: (_, params: Settled) => params.unended }),
    setAllUnended: assign({ unended: ({ context }) => canceledOf(context) }),
    setSent: assign({
      signal: (_, { signal }: Delivery) => signal,
      via: ({ context }, { sent }: Delivery) => (sent.outcome === 'Sent' ? sent.via : context.via),
    }),
    setRefused: assign({
      fault: ({ context }, { signal, sent }: Delivery) => {
        const reason = sent.outcome === 'Refused' ? sent.reason : 'no reason was given';
        return notEnded(context, `${signal} to pid ${context.pid} was refused: ${reason}`);
      },
    }),
    setUnverified: assign({
      fault: ({ context }, { reason }: StopReading) => notEnded(context, reason ?? 'it could not be verified'),
    }),
    setBroken: assign({
      fault: ({ context }, { error }: { error: unknown }) => notEnded(context, faultOf(error).message),
    }),
    setSurvived: assign({
      fault: ({ context }) =>
        notEnded(context, `pid ${context.pid} was still running ${confirmMs / 1000} seconds after SIGKILL`),
    }),
    setOverdue: assign({
      fault: ({ context }) =>
        notEnded(context, `pid ${context.pid} was not gone after ${Math.round(context.limitMs / 1000)} seconds`),
    }),
  },
  guards: {
    isGone: (_, reading: StopReading) => reading.verdict === 'Gone',
    isAlive: (_, reading: StopReading) => reading.verdict === 'Alive',
    wasSent: (_, sent: SignalOutcome) => sent.outcome === 'Sent',
    wasAlreadyGone: (_, sent: SignalOutcome) => sent.outcome === 'AlreadyGone',
  },
  delays: {
    grace: ({ context }) => context.graceMs,
    confirm: confirmMs,
    limit: ({ context }) => context.limitMs,
  },
}).createMachine({
  id: 'stop',
  context: ({ input }) => ({ ...input, asked: null, unended: [], signal: null, via: null, fault: null }),
  initial: 'stopping',
  output: ({ context: { sessionId, asked, unended, signal, via, fault } }) => ({
    sessionId,
    asked,
    unended,
    signal,
    via,
    fault,
  }),
  states: {
    stopping: {
      description: 'Each step has a time of its own, and all of them together have one limit.',
      initial: 'verifying',
      after: { limit: { target: 'kept', actions: 'setOverdue' } },
      states: {
        verifying: {
          description: 'Is it still the process that wrote the record? One that cannot be verified is left alone.',
          invoke: {
            id: 'verify',
            src: 'read',
            input: null,
            onDone: [
              { guard: { type: 'isAlive', params: ({ event }) => event.output }, target: 'asking' },
              {
                guard: { type: 'isGone', params: ({ event }) => event.output },
                target: '#stop.pruning',
                actions: { type: 'setAsked', params: ({ event }) => unasked(event.output.reason) },
              },
              { target: '#stop.kept', actions: { type: 'setUnverified', params: ({ event }) => event.output } },
            ],
            onError: { target: '#stop.kept', actions: { type: 'setBroken', params: ({ event }) => event } },
          },
        },
        asking: {
          description:
            'The door is asked to cancel what runs. That it does not answer is remembered, and stops nothing.',
          invoke: {
            id: 'ask',
            src: 'ask',
            input: null,
            onDone: { target: 'settling', actions: { type: 'setAsked', params: ({ event }) => event.output } },
            onError: {
              target: 'settling',
              actions: { type: 'setAsked', params: ({ event }) => unasked(faultOf(event.error).message) },
            },
          },
        },
        settling: {
          description: 'Canceled tasks, if any, get time to write how they ended.',
          invoke: {
            id: 'settle',
            src: 'settle',
            input: ({ context }) => ({ canceled: canceledOf(context) }),
            onDone: { target: 'terminating', actions: { type: 'setUnended', params: ({ event }) => event.output } },
            onError: { target: 'terminating', actions: 'setAllUnended' },
          },
        },
        terminating: { invoke: signalInvoke('SIGTERM', '#stop.stopping.draining') },
        draining: {
          description: 'The session ends by itself, as after its own first SIGTERM.',
          invoke: watchInvoke(),
          on: { 'exit.noticed': '#stop.pruning' },
          after: { grace: 'reverifying' },
        },
        reverifying: {
          description: 'The pid may belong to another process by now.',
          invoke: lookInvoke('reverify', '#stop.stopping.killing'),
        },
        killing: { invoke: signalInvoke('SIGKILL', '#stop.stopping.dying') },
        dying: {
          invoke: watchInvoke(),
          on: { 'exit.noticed': '#stop.pruning' },
          after: { confirm: 'confirming' },
        },
        confirming: {
          description: 'One last look: a watcher that missed the end is no reason to say that it lives.',
          invoke: lookInvoke('confirm', '#stop.kept', 'setSurvived'),
        },
      },
    },
    pruning: {
      description: 'Only now, with its process gone, the record is removed.',
      invoke: { id: 'prune', src: 'prune', input: null, onDone: 'ended', onError: 'ended' },
    },
    ended: { type: 'final' },
    kept: { type: 'final', description: 'Not ended. The record stays: it is the only handle to what may still run.' },
  },
});

/** One signal, and where each outcome leads. A signal that found nobody is a success. */
function signalInvoke<Target extends '#stop.stopping.draining' | '#stop.stopping.dying'>(
  signal: StopSignal,
  sentTarget: Target,
) {
  const outcome = ({ event }: { event: { output: SignalOutcome } }) => event.output;
  const delivery = ({ event }: { event: { output: SignalOutcome } }): Delivery => ({ signal, sent: event.output });
  return {
    id: signal === 'SIGTERM' ? ('terminate' as const) : ('kill' as const),
    src: 'signal' as const,
    input: { signal },
    onDone: [
      {
        guard: { type: 'wasSent' as const, params: outcome },
        target: sentTarget,
        actions: { type: 'setSent' as const, params: delivery },
      },
      { guard: { type: 'wasAlreadyGone' as const, params: outcome }, target: '#stop.pruning' as const },
      { target: '#stop.kept' as const, actions: { type: 'setRefused' as const, params: delivery } },
    ],
    onError: {
      target: '#stop.kept' as const,
      actions: { type: 'setBroken' as const, params: ({ event }: { event: { error: unknown } }) => event },
    },
  };
}

/** The watcher of a process that should end. One that breaks is made up for by the look after the wait. */
function watchInvoke() {
  return { id: 'watch' as const, src: 'watch' as const, input: null, onError: {} };
}

/** A look that counts only `Gone` as ended; `otherwise` is where anything else leads. */
function lookInvoke<Id extends string, Target extends string, Action extends 'setSurvived' = never>(
  id: Id,
  otherwise: Target,
  action?: Action,
) {
  const other = { target: otherwise, ...(action === undefined ? {} : { actions: action }) };
  return {
    id,
    src: 'read' as const,
    input: null,
    onDone: [
      {
        guard: {
          type: 'isGone' as const,
          params: ({ event }: { event: { output: StopReading } }) => event.output,
        },
        target: '#stop.pruning' as const,
      },
      other,
    ],
    onError: other,
  };
}

function unasked(reason: string | null): Asked {
  return { ok: false, reason: reason ?? 'no reason was given' };
}

function canceledOf({ asked }: StopContext): readonly string[] {
  return asked?.ok === true ? asked.canceled : [];
}

function notEnded({ sessionId }: StopContext, reason: string): Fault {
  return { code: 'E-RUN-024', message: `${sessionId} could not be ended: ${reason}` };
}

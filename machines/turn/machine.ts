/**
 * One turn of the agent loop: one driver call and the tool calls it asks for (spec/session.md 6.2-6.3).
 *
 * Tool calls run one at a time, in call order. The message list, requests and results live with the effects; the context holds
 * ids and numbers only.
 */
import { assign, setup } from 'xstate';
import { type Fault, faultOf, oneShot } from '../effect.js';
import { toolCallMachine } from '../tool-call/machine.js';

export interface TurnInput {
  readonly taskId: string;
  /** 0-based, cumulative over the task. */
  readonly turn: number;
}

/** Why an attempt ends (spec/session.md 6.5). */
export type TaskStatus =
  | 'ok'
  | 'failed'
  | 'max_turns_reached'
  | 'spend_ceiling_reached'
  | 'canceled'
  | 'no_answer'
  | 'reopen_budget_exhausted';

export interface CallRef {
  readonly callId: string;
  readonly name: string;
}

/** What the driver decided, as far as the charts need it. */
export type Inferred =
  | { readonly decision: 'tool_call'; readonly calls: readonly CallRef[] }
  | { readonly decision: 'end_turn' }
  /** Answered, and more was said meanwhile: another turn follows. */
  | { readonly decision: 'go_on' }
  | { readonly decision: 'failed'; readonly status: TaskStatus; readonly fault: Fault };

export interface TurnContext extends TurnInput {
  readonly calls: readonly CallRef[];
  readonly nextCall: number;
  readonly status: TaskStatus | null;
  readonly fault: Fault | null;
}

/** `status: null` means the conversation goes on with another turn. */
export interface TurnOutput {
  readonly status: TaskStatus | null;
  readonly fault: Fault | null;
}

export const turnMachine = setup({
  types: {
    context: {} as TurnContext,
    input: {} as TurnInput,
    output: {} as TurnOutput,
  },
  actors: {
    prepare: oneShot<null, TurnInput>('turn.prepare'),
    infer: oneShot<Inferred, TurnInput>('turn.infer'),
    commit: oneShot<null, TurnInput>('turn.commit'),
    toolCall: toolCallMachine,
  },
  actions: {
    setCalls: assign({
      calls: (_, params: Inferred) => (params.decision === 'tool_call' ? params.calls : []),
      nextCall: 0,
    }),
    nextCall: assign({ nextCall: ({ context }) => context.nextCall + 1 }),
    setOk: assign({ status: 'ok' as const }),
    setFailure: assign({
      status: (_, params: Inferred) => (params.decision === 'failed' ? params.status : ('failed' as const)),
      fault: (_, params: Inferred) => (params.decision === 'failed' ? params.fault : null),
    }),
    setFault: assign({ status: 'failed' as const, fault: (_, params: { error: unknown }) => faultOf(params.error) }),
    setCallFault: assign({ status: 'failed' as const, fault: (_, params: { fault: Fault | null }) => params.fault }),
  },
  guards: {
    wantsTools: (_, params: Inferred) => params.decision === 'tool_call',
    endsTurn: (_, params: Inferred) => params.decision === 'end_turn',
    goesOn: (_, params: Inferred) => params.decision === 'go_on',
    hasMoreCalls: ({ context }) => context.nextCall + 1 < context.calls.length,
    callBroke: (_, params: { fault: Fault | null }) => params.fault !== null,
  },
}).createMachine({
  id: 'turn',
  context: ({ input }) => ({ ...input, calls: [], nextCall: 0, status: null, fault: null }),
  initial: 'preparing',
  output: ({ context }) => ({ status: context.status, fault: context.fault }),
  states: {
    preparing: {
      description: 'The request is built and its tokens are counted.',
      invoke: {
        id: 'prepare',
        src: 'prepare',
        input: ({ context }) => context,
        onDone: 'inferring',
        onError: { target: 'done', actions: { type: 'setFault', params: ({ event }) => event } },
      },
    },
    inferring: {
      description: 'The driver component talks to the model; text streams while it does.',
      invoke: {
        id: 'infer',
        src: 'infer',
        input: ({ context }) => context,
        onDone: [
          {
            guard: { type: 'wantsTools', params: ({ event }) => event.output },
            target: 'dispatching',
            actions: { type: 'setCalls', params: ({ event }) => event.output },
          },
          { guard: { type: 'endsTurn', params: ({ event }) => event.output }, target: 'committing', actions: 'setOk' },
          { guard: { type: 'goesOn', params: ({ event }) => event.output }, target: 'committing' },
          { target: 'done', actions: { type: 'setFailure', params: ({ event }) => event.output } },
        ],
        onError: { target: 'done', actions: { type: 'setFault', params: ({ event }) => event } },
      },
    },
    dispatching: {
      description: 'Tool calls run one at a time, in call order.',
      invoke: {
        id: 'tool-call',
        src: 'toolCall',
        input: ({ context }) => {
          const call = context.calls[context.nextCall] ?? { callId: '', name: '' };
          return {
            taskId: context.taskId,
            turn: context.turn,
            index: context.nextCall,
            callId: call.callId,
            name: call.name,
          };
        },
        onDone: [
          {
            guard: { type: 'callBroke', params: ({ event }) => event.output },
            target: 'done',
            actions: { type: 'setCallFault', params: ({ event }) => event.output },
          },
          { guard: 'hasMoreCalls', target: 'dispatching', reenter: true, actions: 'nextCall' },
          { target: 'committing' },
        ],
        onError: { target: 'done', actions: { type: 'setFault', params: ({ event }) => event } },
      },
    },
    committing: {
      description: 'The response, every tool result in call order, and what was said meanwhile join the conversation.',
      invoke: {
        id: 'commit',
        src: 'commit',
        input: ({ context }) => context,
        onDone: 'done',
        onError: { target: 'done', actions: { type: 'setFault', params: ({ event }) => event } },
      },
    },
    done: { type: 'final' },
  },
});

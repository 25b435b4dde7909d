/**
 * One tool call of one turn: admitted, run by its kind, fenced, recorded (spec/tools.md section 3, session.md 6.3).
 *
 * Never fails: a refusal, a trap and a deadline are results the model reads. Only a bug ends it with `fault`.
 */
import { assign, setup } from 'xstate';
import { type Fault, faultOf, oneShot } from '../effect.js';

/** How a call is served (spec/tools.md section 1). `refused` never ran anything. */
export type Route = 'wasm' | 'native' | 'shell' | 'skill' | 'builtin' | 'refused';

export interface ToolCallInput {
  readonly taskId: string;
  readonly turn: number;
  /** Position in the response: results are paired by id, this is only the order. */
  readonly index: number;
  readonly callId: string;
  readonly name: string;
}

export interface ToolCallContext extends ToolCallInput {
  readonly route: Route | null;
  readonly status: 'ok' | 'error' | null;
  readonly fault: Fault | null;
}

export interface ToolCallOutput {
  readonly callId: string;
  readonly status: 'ok' | 'error';
  readonly fault: Fault | null;
}

export interface Admission {
  readonly route: Route;
}

export interface Ran {
  readonly status: 'ok' | 'error';
}

export const toolCallMachine = setup({
  types: {
    context: {} as ToolCallContext,
    input: {} as ToolCallInput,
    output: {} as ToolCallOutput,
  },
  actors: {
    admit: oneShot<Admission, ToolCallInput>('tool-call.admit'),
    run: oneShot<Ran, ToolCallInput & { readonly route: Route }>('tool-call.run'),
    fence: oneShot<null, ToolCallInput>('tool-call.fence'),
    record: oneShot<null, ToolCallInput>('tool-call.record'),
  },
  actions: {
    setRoute: assign({ route: (_, params: { route: Route }) => params.route }),
    setStatus: assign({ status: (_, params: { status: 'ok' | 'error' }) => params.status }),
    refuse: assign({ status: 'error' as const }),
    setFault: assign({ status: 'error' as const, fault: (_, params: { error: unknown }) => faultOf(params.error) }),
  },
  guards: {
    runsWasm: (_, params: Admission) => params.route === 'wasm',
    runsNative: (_, params: Admission) => params.route === 'native',
    runsShell: (_, params: Admission) => params.route === 'shell',
    readsSkill: (_, params: Admission) => params.route === 'skill',
    isBuiltin: (_, params: Admission) => params.route === 'builtin',
  },
}).createMachine({
  id: 'tool-call',
  context: ({ input }) => ({ ...input, route: null, status: null, fault: null }),
  initial: 'admitting',
  output: ({ context }) => ({ callId: context.callId, status: context.status ?? 'error', fault: context.fault }),
  states: {
    admitting: {
      description: 'Required inputs, protected paths and policy are checked; the route is chosen.',
      invoke: {
        id: 'admit',
        src: 'admit',
        input: ({ context }) => context,
        onDone: [
          {
            guard: { type: 'runsWasm', params: ({ event }) => event.output },
            target: 'running.wasm',
            actions: { type: 'setRoute', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'runsNative', params: ({ event }) => event.output },
            target: 'running.native',
            actions: { type: 'setRoute', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'runsShell', params: ({ event }) => event.output },
            target: 'running.shell',
            actions: { type: 'setRoute', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'readsSkill', params: ({ event }) => event.output },
            target: 'running.skill',
            actions: { type: 'setRoute', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'isBuiltin', params: ({ event }) => event.output },
            target: 'running.builtin',
            actions: { type: 'setRoute', params: ({ event }) => event.output },
          },
          { target: 'recorded', actions: ['refuse', { type: 'setRoute', params: ({ event }) => event.output }] },
        ],
        onError: { target: 'failed', actions: { type: 'setFault', params: ({ event }) => event } },
      },
    },
    running: {
      description: 'The call is being served. A cancel aborts it; the result then says so.',
      invoke: {
        id: 'run',
        src: 'run',
        input: ({ context }) => ({ ...context, route: context.route ?? 'refused' }),
        onDone: { target: 'fenced', actions: { type: 'setStatus', params: ({ event }) => event.output } },
        onError: { target: 'failed', actions: { type: 'setFault', params: ({ event }) => event } },
      },
      initial: 'wasm',
      states: {
        wasm: { description: 'A fresh component instance in a worker.' },
        native: { description: 'A confined process, JSON in and out.' },
        shell: { description: 'An allowlisted program.' },
        skill: { description: 'The text of a skill file.' },
        builtin: { description: 'Answered by the runtime itself.' },
      },
    },
    fenced: {
      description: 'Untrusted text is fenced; notes of the runtime follow the fence.',
      invoke: {
        id: 'fence',
        src: 'fence',
        input: ({ context }) => context,
        onDone: 'recorded',
        onError: { target: 'failed', actions: { type: 'setFault', params: ({ event }) => event } },
      },
    },
    recorded: {
      description: 'The trace line is written and the result joins the conversation.',
      invoke: {
        id: 'record',
        src: 'record',
        input: ({ context }) => context,
        onDone: 'done',
        onError: { target: 'failed', actions: { type: 'setFault', params: ({ event }) => event } },
      },
    },
    done: { type: 'final' },
    failed: { type: 'final', description: 'A bug of the runtime, named in the fault.' },
  },
});

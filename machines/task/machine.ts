/**
 * One task: begun, worked on turn by turn, ended in exactly one terminal state (spec/session.md 5.4, spec/door.md 8.1).
 *
 * Stopping a turn stops its effects: every one of them honours its abort signal. `max_turns` is cumulative over the task.
 */
import { assign, setup } from 'xstate';
import { type Fault, faultOf, oneShot } from '../effect.js';
import { type TaskStatus, turnMachine } from '../turn/machine.js';

export interface TaskInput {
  readonly taskId: string;
  readonly contextId: string;
  /** `a2a` for a message at the door, `task_md` for the launch's own input; the others report what became of background commands. */
  readonly source: 'a2a' | 'task_md' | 'detached_shell' | 'detached_lost';
  readonly maxTurns: number;
}

export interface TaskContext extends TaskInput {
  readonly turn: number;
  readonly status: TaskStatus | null;
  readonly fault: Fault | null;
}

export interface TaskOutput {
  readonly taskId: string;
  readonly source: TaskInput['source'];
  readonly status: TaskStatus;
  readonly turns: number;
  readonly fault: Fault | null;
}

export type TaskEvent =
  | { readonly type: 'task.cancel.requested' }
  | { readonly type: 'input.requested'; readonly prompt: string }
  | { readonly type: 'input.received' };

/** What beginning a task finds out: a blank message fails it before any model call. */
export type Begun = { readonly ok: true } | { readonly ok: false; readonly fault: Fault };

export interface TaskEnding {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly turns: number;
  readonly fault: Fault | null;
}

type TurnResult = { readonly status: TaskStatus | null; readonly fault: Fault | null };

export const taskMachine = setup({
  types: {
    context: {} as TaskContext,
    input: {} as TaskInput,
    output: {} as TaskOutput,
    events: {} as TaskEvent,
  },
  actors: {
    begin: oneShot<Begun, TaskInput>('task.begin'),
    end: oneShot<null, TaskEnding>('task.end'),
    turn: turnMachine,
  },
  actions: {
    nextTurn: assign({ turn: ({ context }) => context.turn + 1 }),
    setResult: assign({
      status: (_, params: TurnResult) => params.status ?? ('failed' as const),
      fault: (_, params: TurnResult) => params.fault,
      turn: ({ context }) => context.turn + 1,
    }),
    setOutOfTurns: assign({
      status: 'max_turns_reached' as const,
      turn: ({ context }) => context.turn + 1,
      fault: ({ context }) => ({ code: 'E-RUN-040', message: `inference loop exceeded ${context.maxTurns} turns` }),
    }),
    setRefused: assign({ status: 'failed' as const, fault: (_, params: { fault: Fault }) => params.fault }),
    setFault: assign({ status: 'failed' as const, fault: (_, params: { error: unknown }) => faultOf(params.error) }),
    setCanceled: assign({ status: 'canceled' as const }),
  },
  guards: {
    began: (_, params: Begun) => params.ok,
    turnDecided: (_, params: TurnResult) => params.status !== null,
    hasTurnsLeft: ({ context }) => context.turn + 1 < context.maxTurns,
    isOk: ({ context }) => context.status === 'ok',
    isCanceled: ({ context }) => context.status === 'canceled',
  },
}).createMachine({
  id: 'task',
  context: ({ input }) => ({ ...input, turn: 0, status: null, fault: null }),
  initial: 'submitted',
  output: ({ context }) => ({
    taskId: context.taskId,
    source: context.source,
    status: context.status ?? 'failed',
    turns: context.turn,
    fault: context.fault,
  }),
  states: {
    submitted: {
      description: 'The task leaves the queue: its input is written and its history is loaded.',
      invoke: {
        id: 'begin',
        src: 'begin',
        input: ({ context }) => context,
        onDone: [
          { guard: { type: 'began', params: ({ event }) => event.output }, target: 'active' },
          {
            target: 'ending',
            actions: {
              type: 'setRefused',
              params: ({ event }) => ({
                fault: event.output.ok
                  ? { code: 'E-RUN-007', message: 'refused without a reason' }
                  : event.output.fault,
              }),
            },
          },
        ],
        onError: { target: 'ending', actions: { type: 'setFault', params: ({ event }) => event } },
      },
      on: { 'task.cancel.requested': { target: 'ending', actions: 'setCanceled' } },
    },
    active: {
      description: 'Turns run until the model ends, the budget ends, something fails or somebody cancels.',
      type: 'parallel',
      on: { 'task.cancel.requested': { target: 'ending', actions: 'setCanceled' } },
      states: {
        loop: {
          initial: 'turning',
          states: {
            turning: {
              invoke: {
                id: 'turn',
                src: 'turn',
                input: ({ context }) => ({ taskId: context.taskId, turn: context.turn }),
                onDone: [
                  {
                    guard: { type: 'turnDecided', params: ({ event }) => event.output },
                    target: '#task.ending',
                    actions: { type: 'setResult', params: ({ event }) => event.output },
                  },
                  { guard: 'hasTurnsLeft', target: 'turning', reenter: true, actions: 'nextTurn' },
                  { target: '#task.ending', actions: 'setOutOfTurns' },
                ],
                onError: { target: '#task.ending', actions: { type: 'setFault', params: ({ event }) => event } },
              },
            },
          },
        },
        attention: {
          initial: 'working',
          states: {
            working: { on: { 'input.requested': 'input-required' } },
            'input-required': {
              description: 'A tool waits for a person; its deadline stands still.',
              on: { 'input.received': 'working' },
            },
          },
        },
      },
    },
    ending: {
      description: 'The result file and the last trace lines of the task are written.',
      invoke: {
        id: 'end',
        src: 'end',
        input: ({ context }) => ({
          taskId: context.taskId,
          status: context.status ?? 'failed',
          turns: context.turn,
          fault: context.fault,
        }),
        onDone: 'settled',
        onError: { target: 'settled', actions: { type: 'setFault', params: ({ event }) => event } },
      },
    },
    settled: {
      always: [
        { guard: 'isOk', target: 'completed' },
        { guard: 'isCanceled', target: 'canceled' },
        { target: 'failed' },
      ],
    },
    completed: { type: 'final' },
    failed: { type: 'final' },
    canceled: { type: 'final' },
  },
});

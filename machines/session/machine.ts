/**
 * One capsule session: staging -> running -> draining -> ended (spec/session.md; design: architecture section 1).
 *
 * Staging shows its steps as states, in the order of session.md 4.1. Everything the session opened is released in `draining`,
 * by closing the resource scope, whatever happened before. Read next: ../task/machine.ts.
 */
import { and, assign, not, sendTo, setup, spawnChild, stopChild } from 'xstate';
import { type CommandInput, commandMachine, isCommandId } from '../command/machine.js';
import { type Fault, faultOf, type Outcome, oneShot, type Refused } from '../effect.js';
import { type TaskOutput, taskMachine } from '../task/machine.js';
import type {
  CommandOver,
  Lane,
  SessionContext,
  SessionEvent,
  SessionInput,
  SessionOutput,
  SessionStatus,
  StopCause,
  TaskRef,
} from './types.js';

export type * from './types.js';

export type StepOutcome = Outcome;
export type MintOutcome = Outcome<{ readonly sessionId: string }>;
export type OpenOutcome = Outcome<{ readonly url: string; readonly launchTask: TaskRef | null }>;
export type ScriptOutcome = Outcome;
/** What the last lines of a session carry. */
export interface CloseInput {
  readonly status: SessionStatus;
  readonly stopCause: StopCause | null;
  readonly fault: Fault | null;
}

const step = (name: string) => oneShot<StepOutcome, null>(name);

export const sessionMachine = setup({
  types: {
    context: {} as SessionContext,
    input: {} as SessionInput,
    output: {} as SessionOutput,
    events: {} as SessionEvent | CommandOver,
  },
  actors: {
    validate: step('stage.validate'),
    probe: step('stage.probe'),
    contain: step('stage.contain'),
    resolve: step('stage.resolve'),
    check: step('stage.check'),
    compile: step('stage.compile'),
    mint: oneShot<MintOutcome, null>('stage.mint'),
    write: step('stage.write'),
    open: oneShot<OpenOutcome, null>('session.open'),
    script: oneShot<ScriptOutcome, null>('session.script'),
    refuse: oneShot<null, { readonly pending: readonly TaskRef[]; readonly stopCause: StopCause | null }>(
      'session.refuse',
    ),
    close: oneShot<null, CloseInput>('session.close'),
    retire: oneShot<null, null>('session.retire'),
    task: taskMachine,
    command: commandMachine,
  },
  actions: {
    setFault: assign({ status: 'failed' as const, fault: (_, params: { error: unknown }) => faultOf(params.error) }),
    setRefusal: assign({
      status: 'failed' as const,
      fault: (_, params: StepOutcome) => (params.ok ? null : (params as Refused).fault),
    }),
    /** What is not about the component itself is a failure of the session. */
    setTrap: assign({
      status: (_, params: ScriptOutcome) => (isTrap(params) ? ('trapped' as const) : ('failed' as const)),
      fault: (_, params: ScriptOutcome) => (params.ok ? null : (params as Refused).fault),
    }),
    setSessionId: assign({ sessionId: (_, params: MintOutcome) => (params.ok ? params.sessionId : null) }),
    setOpened: assign({
      url: (_, params: OpenOutcome) => (params.ok ? params.url : null),
      pending: ({ context }, params: OpenOutcome) =>
        params.ok && params.launchTask !== null ? [params.launchTask, ...context.pending] : context.pending,
    }),
    queueTask: assign({ pending: ({ context }, params: { task: TaskRef }) => queued(context.pending, params.task) }),
    dropTask: assign({
      pending: ({ context }, params: { taskId: string }) =>
        context.pending.filter((task) => task.taskId !== params.taskId),
    }),
    takeTask: assign({
      cancelAsked: false,
      active: ({ context }) => context.pending[0] ?? null,
      pending: ({ context }) => context.pending.slice(1),
    }),
    settleTask: assign({
      active: null,
      ended: ({ context }, params: TaskOutput) =>
        params.source === 'task_md'
          ? { ...context.ended, launch: context.ended.launch + 1 }
          : { ...context.ended, queued: context.ended.queued + 1 },
      launchFailed: ({ context }, params: TaskOutput) =>
        context.launchFailed || (params.source === 'task_md' && !completes(params)),
      status: ({ context }, params: TaskOutput) => decide(context, params),
      fault: ({ context }, params: TaskOutput) =>
        context.fault ?? (completes(params) || !decides(context, params) ? null : params.fault),
    }),
    setStop: assign({
      stopCause: ({ context }, params: { cause: StopCause }) => context.stopCause ?? params.cause,
      status: ({ context }, params: { cause: StopCause }) =>
        context.status ?? (params.cause === 'deadline_reached' ? ('deadline_reached' as const) : cutShort(context)),
    }),
    noteCancel: assign({ cancelAsked: true }),
    cancelTask: sendTo('task', { type: 'task.cancel.requested' }),
    tellInputRequested: sendTo('task', (_, params: { prompt: string }) => ({
      type: 'input.requested' as const,
      prompt: params.prompt,
    })),
    tellInputReceived: sendTo('task', { type: 'input.received' }),
    startCommand: spawnChild('command', {
      id: ({ event }) => commandOf(event).commandId,
      input: ({ event }) => commandOf(event),
    }),
    /** Its end is known; what remains of it goes. */
    forgetCommand: stopChild(({ event }) => ('actorId' in event ? event.actorId : '')),
  },
  guards: {
    succeeded: (_, params: StepOutcome) => params.ok,
    isScript: ({ context }) => context.kind === 'script',
    isStopping: ({ context }) => context.stopCause !== null,
    hasPending: ({ context }) => context.pending.length > 0,
    isActive: ({ context }, params: { taskId: string }) => context.active?.taskId === params.taskId,
    isPending: ({ context }, params: { taskId: string }) =>
      context.pending.some((task) => task.taskId === params.taskId),
    hasActive: ({ context }) => context.active !== null,
    isCommand: (_, params: { actorId: string }) => isCommandId(params.actorId),
    isWorkDone: ({ context }) => isWorkDone(context),
    mayExpire: ({ context }) => !(context.acceptance === 'queue' && context.afterTask === 'sleep'),
  },
  delays: {
    idleTimeout: ({ context }) => context.idleTimeoutMs,
    drainLimit: ({ context }) => context.drainLimitMs,
  },
}).createMachine({
  id: 'session',
  context: ({ input }) => ({
    ...input,
    sessionId: null,
    url: null,
    pending: [],
    active: null,
    cancelAsked: false,
    ended: { launch: 0, queued: 0 },
    launchFailed: false,
    status: null,
    stopCause: null,
    fault: null,
  }),
  initial: 'staging',
  on: {
    'xstate.done.actor.*': {
      guard: { type: 'isCommand', params: ({ event }) => event },
      actions: 'forgetCommand',
    },
    'xstate.error.actor.*': {
      guard: { type: 'isCommand', params: ({ event }) => event },
      actions: 'forgetCommand',
    },
  },
  output: ({ context }) => ({ sessionId: context.sessionId, status: context.status ?? 'ok', fault: context.fault }),
  states: {
    staging: {
      description: 'Nothing a step below may have done exists when a step above refuses.',
      initial: 'validating',
      on: {
        'task.accepted': { actions: { type: 'queueTask', params: ({ event }) => event } },
        'stop.requested': { target: 'draining', actions: { type: 'setStop', params: ({ event }) => event } },
      },
      states: {
        validating: {
          description: 'Pure checks of the manifest against the rules.',
          invoke: stepInvoke('validate', '#session.staging.probing'),
        },
        probing: { description: 'The host is read once.', invoke: stepInvoke('probe', '#session.staging.containing') },
        containing: {
          description: 'The containment class is decided from that reading.',
          invoke: stepInvoke('contain', '#session.staging.resolving'),
        },
        resolving: {
          description: 'Artifacts are found and their bytes checked, in declaration order.',
          invoke: stepInvoke('resolve', '#session.staging.checking'),
        },
        checking: {
          description: 'Driver, gateways, credentials and model limits fit together.',
          invoke: stepInvoke('check', '#session.staging.compiling'),
        },
        compiling: {
          description: 'Components are taken from the cache, or compiled once.',
          invoke: stepInvoke('compile', '#session.staging.minting'),
        },
        minting: {
          description: 'The session gets its id and its three folders.',
          invoke: {
            id: 'mint',
            src: 'mint',
            input: null,
            onDone: [
              {
                guard: { type: 'succeeded', params: ({ event }) => event.output },
                target: 'writing',
                actions: { type: 'setSessionId', params: ({ event }) => event.output },
              },
              { target: '#session.draining', actions: { type: 'setRefusal', params: ({ event }) => event.output } },
            ],
            onError: { target: '#session.draining', actions: { type: 'setFault', params: ({ event }) => event } },
          },
        },
        writing: {
          description: 'Tool manifests, skills, prompts and the task input are written where the capsule reads them.',
          invoke: stepInvoke('write', '#session.running'),
        },
      },
    },
    running: {
      initial: 'choosing-kind',
      on: {
        'task.accepted': { actions: { type: 'queueTask', params: ({ event }) => event } },
        'task.cancel.requested': [
          { guard: { type: 'isActive', params: ({ event }) => event }, actions: ['noteCancel', 'cancelTask'] },
          {
            guard: { type: 'isPending', params: ({ event }) => event },
            actions: { type: 'dropTask', params: ({ event }) => event },
          },
        ],
        'stop.requested': { target: '.stopping', actions: { type: 'setStop', params: ({ event }) => event } },
        'command.requested': {
          actions: 'startCommand',
        },
      },
      states: {
        'choosing-kind': { always: [{ guard: 'isScript', target: 'scripting' }, { target: 'opening' }] },
        scripting: {
          description: 'A script capsule: its component runs once. No door, no tasks.',
          invoke: {
            id: 'script',
            src: 'script',
            input: null,
            onDone: [
              { guard: { type: 'succeeded', params: ({ event }) => event.output }, target: '#session.draining' },
              { target: '#session.draining', actions: { type: 'setTrap', params: ({ event }) => event.output } },
            ],
            onError: { target: '#session.draining', actions: { type: 'setFault', params: ({ event }) => event } },
          },
        },
        opening: {
          description: 'The door listens, then the running record says so, then the first trace line is written.',
          invoke: {
            id: 'open',
            src: 'open',
            input: null,
            onDone: [
              {
                guard: { type: 'succeeded', params: ({ event }) => event.output },
                target: 'serving',
                actions: { type: 'setOpened', params: ({ event }) => event.output },
              },
              { target: '#session.draining', actions: { type: 'setRefusal', params: ({ event }) => event.output } },
            ],
            onError: { target: '#session.draining', actions: { type: 'setFault', params: ({ event }) => event } },
          },
        },
        serving: {
          description: 'Tasks run one after another.',
          initial: 'choosing',
          states: {
            choosing: {
              always: [
                { guard: 'isStopping', target: '#session.draining' },
                { guard: and(['hasPending', not('isWorkDone')]), target: 'working', actions: 'takeTask' },
                { guard: 'isWorkDone', target: '#session.draining' },
                { target: 'waiting' },
              ],
            },
            waiting: {
              description: 'Idle: the door is open and nothing is queued.',
              on: {
                'task.accepted': { target: 'choosing', actions: { type: 'queueTask', params: ({ event }) => event } },
              },
              after: { idleTimeout: { guard: 'mayExpire', target: '#session.draining' } },
            },
            working: {
              on: {
                'stop.requested': { actions: [{ type: 'setStop', params: ({ event }) => event }, 'cancelTask'] },
                'input.requested': {
                  guard: { type: 'isActive', params: ({ event }) => event },
                  actions: { type: 'tellInputRequested', params: ({ event }) => event },
                },
                'input.received': {
                  guard: { type: 'isActive', params: ({ event }) => event },
                  actions: 'tellInputReceived',
                },
              },
              invoke: {
                id: 'task',
                src: 'task',
                input: ({ context }) => ({
                  taskId: context.active?.taskId ?? '',
                  contextId: context.active?.contextId ?? '',
                  source: context.active?.source ?? ('a2a' as const),
                  maxTurns: context.maxTurns,
                }),
                onDone: { target: 'choosing', actions: { type: 'settleTask', params: ({ event }) => event.output } },
                onError: { target: '#session.draining', actions: { type: 'setFault', params: ({ event }) => event } },
              },
            },
          },
        },
        stopping: { description: 'Asked to stop while nothing runs.', always: '#session.draining' },
      },
    },
    draining: {
      description:
        'No new work. Last lines are written, then everything the session opened is released, last in first out.',
      initial: 'refusing',
      after: { drainLimit: 'ended' },
      states: {
        refusing: {
          description: 'Tasks still pending are refused, each with a final state.',
          invoke: {
            id: 'refuse',
            src: 'refuse',
            input: ({ context }) => ({ pending: context.pending, stopCause: context.stopCause }),
            onDone: 'closing',
            onError: { target: 'closing', actions: { type: 'setFault', params: ({ event }) => event } },
          },
        },
        closing: {
          description: 'The end is written to the trace and flushed.',
          invoke: {
            id: 'close',
            src: 'close',
            input: ({ context }) => ({
              status: context.status ?? 'ok',
              stopCause: context.stopCause,
              fault: context.fault,
            }),
            onDone: 'retiring',
            onError: { target: 'retiring', actions: { type: 'setFault', params: ({ event }) => event } },
          },
        },
        retiring: {
          description: 'The resource scope closes: record, door, workers, folders.',
          invoke: {
            id: 'retire',
            src: 'retire',
            input: null,
            onDone: '#session.ended',
            onError: { target: '#session.ended', actions: { type: 'setFault', params: ({ event }) => event } },
          },
        },
      },
    },
    ended: { type: 'final' },
  },
});

/** One staging step: success goes on, a refusal or a bug drains. */
function stepInvoke<
  Name extends 'validate' | 'probe' | 'contain' | 'resolve' | 'check' | 'compile' | 'write',
  Target extends string,
>(name: Name, next: Target) {
  return {
    id: name,
    src: name,
    input: null,
    onDone: [
      {
        guard: { type: 'succeeded' as const, params: ({ event }: { event: { output: StepOutcome } }) => event.output },
        target: next,
      },
      {
        target: '#session.draining' as const,
        actions: {
          type: 'setRefusal' as const,
          params: ({ event }: { event: { output: StepOutcome } }) => event.output,
        },
      },
    ],
    onError: {
      target: '#session.draining' as const,
      actions: { type: 'setFault' as const, params: ({ event }: { event: { error: unknown } }) => event },
    },
  } as const;
}

function isTrap(outcome: ScriptOutcome): boolean {
  return !outcome.ok && outcome.fault.code === 'E-RUN-001';
}

function commandOf(event: SessionEvent | CommandOver): CommandInput {
  if (event.type !== 'command.requested') throw new Error(`'${event.type}' asks for no command`);
  return event.command;
}

const lanes: readonly Lane[] = ['user', 'peer', 'bg'];

/** `pending` with the task behind those that go before it: higher lanes, and what came earlier in its own. */
function queued(pending: readonly TaskRef[], task: TaskRef): readonly TaskRef[] {
  const rank = ({ lane }: TaskRef): number => lanes.indexOf(lane);
  const at = pending.findIndex((other) => rank(other) > rank(task));
  return at === -1 ? [...pending, task] : pending.toSpliced(at, 0, task);
}

/** Nothing more will be run, whatever arrives (table of session.md 5.2). */
function isWorkDone(context: SessionContext): boolean {
  if (context.launchFailed || endsSession(context.fault)) return true;
  switch (context.acceptance) {
    case 'none':
      return context.pending.every((task) => task.source !== 'task_md');
    case 'single':
      return context.ended.launch + context.ended.queued > 0;
    case 'queue':
      return context.afterTask === 'exit' && context.ended.queued > 0;
  }
}

/** A stop that comes before the work this launch was started for is no success; once that task runs, its own ending says so. */
function cutShort(context: SessionContext): SessionStatus | null {
  const isDue = context.hasTask && context.ended.launch === 0 && context.active?.source !== 'task_md';
  return isDue || context.kind === 'script' ? 'canceled' : null;
}

function completes(task: TaskOutput): boolean {
  return task.status === 'ok' || task.status === 'no_answer';
}

/**
 * The launch's own task always decides; a queued one only when the session ends after it, or ends it (cli.md 11.3). A task that
 * was canceled by name before says nothing about the session.
 */
function decides(context: SessionContext, task: TaskOutput): boolean {
  const serves = context.acceptance === 'queue' && context.afterTask === 'sleep';
  const isAsked = context.stopCause !== null && !context.cancelAsked;
  return task.source === 'task_md' || !serves || isAsked || endsSession(task.fault);
}

/** No task of the session could go on: the work folder has outgrown its limit, or the sealed root cannot be built. */
function endsSession(fault: Fault | null): boolean {
  return fault?.code === 'E-RUN-013' || fault?.code === 'E-RUN-014';
}

/** The session's status after a task: the first deciding ending that was not `ok` stays. */
function decide(context: SessionContext, task: TaskOutput): SessionStatus | null {
  if (context.status !== null && context.status !== 'ok') return context.status;
  if (task.status === 'no_answer' || !decides(context, task)) return context.status;
  if (task.status === 'reopen_budget_exhausted') return 'failed';
  return task.status;
}

/**
 * One host program run for a capsule, from its start to whatever ends it (spec/shell.md 5, 8).
 *
 * A command whose caller waited long enough goes on in the background: it is registered first, then the caller is told, and its end is
 * a task of its own. Only its own end or the session's ends it then. What is foreseen is an ending, never a throw; `failed` is a bug of
 * the runtime, and even then nothing of the process is left. Read next: src/effects/command.ts (what does it).
 */
import { assign, setup } from 'xstate';
import { faultOf, type Outcome, oneShot } from '../effect.js';
import type {
  CommandContext,
  CommandEnd,
  CommandEnded,
  CommandEnding,
  CommandEvent,
  CommandInput,
  CommandName,
  CommandOutput,
  Detached,
  Started,
} from './types.js';

export type * from './types.js';

/** How long a command may take to end by itself once it is told to. */
export const commandKillAfterMs = 5_000;

const idPrefix = 'cmd_';

/** The id of the command that was asked for as the `serial`th of its session. */
export function commandIdOf(serial: number): string {
  return `${idPrefix}${serial}`;
}

export function isCommandId(id: string): boolean {
  return id.startsWith(idPrefix);
}

/** A longer one would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

export const commandMachine = setup({
  types: {
    context: {} as CommandContext,
    input: {} as CommandInput,
    output: {} as CommandOutput,
    events: {} as CommandEvent,
  },
  actors: {
    /** Starts the process. */
    start: oneShot<Started, CommandInput>('command.start'),
    /** Waits for the end of the process; may be asked more than once. */
    wait: oneShot<CommandEnd, CommandName>('command.wait'),
    /** Kills the whole tree. Nothing is left when it is done. Says how the process had ended by itself, if it had. */
    kill: oneShot<CommandEnd | null, CommandName>('command.kill'),
    /** SIGTERM, and after `killAfterMs` the whole tree is killed. Nothing is left when it is done. */
    terminate: oneShot<null, CommandName & { readonly killAfterMs: number }>('command.terminate'),
    /** Writes the log of a foreground command whose output is longer than its result. */
    record: oneShot<Outcome, CommandEnded>('command.record'),
    /** Gives it an id, registers it, and brings that to the disk. */
    detach: oneShot<Detached, CommandName>('command.detach'),
    /** Writes the log of a background command. */
    save: oneShot<null, CommandEnded>('command.save'),
    /** Tells the trace and the capsule how a background command ended. */
    report: oneShot<null, CommandEnded>('command.report'),
    /** Tells the trace, and an operator, that it was ended with its session. */
    abandon: oneShot<null, CommandEnded>('command.abandon'),
    /** Kills what may be left, after a bug. */
    clear: oneShot<null, CommandName>('command.clear'),
  },
  actions: {
    setStarted: assign({
      pid: (_, params: Started) => (params.ok ? params.pid : null),
      fault: (_, params: Started) => (params.ok ? null : params.fault),
    }),
    setRecorded: assign({ fault: (_, params: Outcome) => (params.ok ? null : params.fault) }),
    setEnd: assign({ end: (_, params: CommandEnd | null) => params }),
    setWorkId: assign({ workId: (_, params: Detached) => params.workId }),
    setBug: assign({
      fault: ({ context }, params: { readonly error: unknown }) => context.fault ?? faultOf(params.error),
    }),
    setEnding: assign({ ending: (_, params: { readonly ending: CommandEnding }) => params.ending }),
    /** An end of the session counts more than one of the task. */
    askCancel: assign({ asked: ({ context }) => (context.asked === 'sweep' ? 'sweep' : 'cancel') }),
    askSweep: assign({ asked: 'sweep' as const }),
  },
  guards: {
    didStart: (_, params: Started) => params.ok,
    isAskedToEnd: ({ context }) => context.asked !== 'nothing',
    isSwept: ({ context }) => context.asked === 'sweep',
    mayDetach: ({ context }) => context.graceMs !== null,
  },
  delays: {
    grace: ({ context }) => Math.min(context.graceMs ?? 0, longestDelayMs),
  },
}).createMachine({
  id: 'command',
  context: ({ input }) => ({
    ...input,
    pid: null,
    workId: null,
    end: null,
    asked: 'nothing',
    ending: null,
    fault: null,
  }),
  initial: 'starting',
  on: { 'session.ended': { actions: 'askSweep' } },
  output: ({ context: { ending, workId, end, fault } }) => ({ ending: ending ?? 'failed', workId, end, fault }),
  states: {
    starting: {
      description: 'A program that cannot be started is refused: nothing ran.',
      invoke: {
        id: 'start',
        src: 'start',
        input: ({ context: { commandId, binary, taskId, graceMs } }) => ({ commandId, binary, taskId, graceMs }),
        onDone: [
          {
            guard: { type: 'didStart', params: ({ event }) => event.output },
            target: 'running',
            actions: { type: 'setStarted', params: ({ event }) => event.output },
          },
          { target: 'refused', actions: { type: 'setStarted', params: ({ event }) => event.output } },
        ],
        onError: { target: 'clearing', actions: { type: 'setBug', params: ({ event }) => event } },
      },
      on: { 'cancel.requested': { actions: 'askCancel' } },
    },
    running: {
      description: 'Its caller waits.',
      always: { guard: 'isAskedToEnd', target: 'terminating' },
      invoke: {
        id: 'wait',
        src: 'wait',
        input: ({ context: { commandId } }) => ({ commandId }),
        onDone: { target: 'recording', actions: { type: 'setEnd', params: ({ event }) => event.output } },
        onError: { target: 'clearing', actions: { type: 'setBug', params: ({ event }) => event } },
      },
      after: { grace: { guard: 'mayDetach', target: 'detaching' } },
      on: { 'cancel.requested': { actions: 'askCancel' } },
    },
    recording: {
      invoke: {
        id: 'record',
        src: 'record',
        input: ({ context: { commandId, end } }) => ({ commandId, end }),
        onDone: { target: 'finished', actions: { type: 'setRecorded', params: ({ event }) => event.output } },
        onError: { target: 'clearing', actions: { type: 'setBug', params: ({ event }) => event } },
      },
    },
    terminating: {
      description: 'Nobody waits for it any more: it is told to end, and then killed with all its children.',
      invoke: {
        id: 'terminate',
        src: 'terminate',
        input: ({ context: { commandId } }) => ({ commandId, killAfterMs: commandKillAfterMs }),
        onDone: 'canceled',
        onError: { target: 'clearing', actions: { type: 'setBug', params: ({ event }) => event } },
      },
    },
    detaching: {
      description:
        'Its caller waited long enough. The session knows of it, and so does the disk, before the caller is told.',
      invoke: {
        id: 'detach',
        src: 'detach',
        input: ({ context: { commandId } }) => ({ commandId }),
        onDone: { target: 'demoted', actions: { type: 'setWorkId', params: ({ event }) => event.output } },
        onError: { target: 'clearing', actions: { type: 'setBug', params: ({ event }) => event } },
      },
    },
    demoted: {
      description: 'In the background. The end of the task that asked for it is none of its business.',
      always: { guard: 'isSwept', target: 'killing' },
      invoke: {
        id: 'await',
        src: 'wait',
        input: ({ context: { commandId } }) => ({ commandId }),
        onDone: { target: 'saving', actions: { type: 'setEnd', params: ({ event }) => event.output } },
        onError: { target: 'clearing', actions: { type: 'setBug', params: ({ event }) => event } },
      },
    },
    killing: {
      description: 'The session is over.',
      invoke: {
        id: 'kill',
        src: 'kill',
        input: ({ context: { commandId } }) => ({ commandId }),
        onDone: { target: 'saving', actions: { type: 'setEnd', params: ({ event }) => event.output } },
        onError: { target: 'clearing', actions: { type: 'setBug', params: ({ event }) => event } },
      },
    },
    saving: {
      description: 'Its output is written down, however it ended.',
      invoke: {
        id: 'save',
        src: 'save',
        input: ({ context: { commandId, end } }) => ({ commandId, end }),
        onDone: [{ guard: 'isSwept', target: 'abandoning' }, { target: 'reporting' }],
        onError: { target: 'clearing', actions: { type: 'setBug', params: ({ event }) => event } },
      },
    },
    reporting: {
      description: 'Its end becomes a task of the capsule.',
      invoke: {
        id: 'report',
        src: 'report',
        input: ({ context: { commandId, end } }) => ({ commandId, end }),
        onDone: 'completed',
        onError: { target: 'clearing', actions: { type: 'setBug', params: ({ event }) => event } },
      },
    },
    abandoning: {
      invoke: {
        id: 'abandon',
        src: 'abandon',
        input: ({ context: { commandId, end } }) => ({ commandId, end }),
        onDone: 'abandoned',
        onError: { target: 'clearing', actions: { type: 'setBug', params: ({ event }) => event } },
      },
    },
    clearing: {
      description: 'A bug must not leave a process behind.',
      invoke: {
        id: 'clear',
        src: 'clear',
        input: ({ context: { commandId } }) => ({ commandId }),
        onDone: 'failed',
        onError: 'failed',
      },
    },
    refused: { type: 'final', entry: { type: 'setEnding', params: { ending: 'refused' } } },
    finished: {
      type: 'final',
      entry: { type: 'setEnding', params: { ending: 'finished' } },
      description: 'Its caller gets its exit code and output.',
    },
    canceled: {
      type: 'final',
      entry: { type: 'setEnding', params: { ending: 'canceled' } },
      description: 'Ended because nobody waited for it any more.',
    },
    completed: { type: 'final', entry: { type: 'setEnding', params: { ending: 'completed' } } },
    abandoned: { type: 'final', entry: { type: 'setEnding', params: { ending: 'abandoned' } } },
    failed: {
      type: 'final',
      entry: { type: 'setEnding', params: { ending: 'failed' } },
      description: 'A bug of the runtime, named in the fault.',
    },
  },
});

/**
 * The running sessions of this machine, kept current: records are listed, each is watched by a liveness chart, and a record is
 * removed only after a `Gone` verdict that a new reading confirms (spec/liveness.md section 4.3).
 *
 * Reports rows, one event per change. Read next: rows.ts (what it does with its lists), ../liveness/machine.ts (one session).
 */
import { assign, enqueueActions, setup } from 'xstate';
import { type Fault, faultOf, oneShot, ongoing } from '../effect.js';
import { afterChanges, afterListing, afterPruning, type Step } from './rows.js';
import type {
  Change,
  Listed,
  Pruned,
  RegistryContext,
  RegistryEmitted,
  RegistryEvent,
  RegistryInput,
  RegistryOutput,
} from './types.js';

export type * from './types.js';

export const registryMachine = setup({
  types: {
    context: {} as RegistryContext,
    input: {} as RegistryInput,
    output: {} as RegistryOutput,
    events: {} as RegistryEvent,
    emitted: {} as RegistryEmitted,
  },
  actors: {
    /** Reads every record of the folder. Verifies nothing. */
    list: oneShot<Listed, null>('registry.list'),
    /** Reports `records.changed` when the folder changes. */
    folder: ongoing<null>('registry.folder'),
    /** Runs a liveness chart per session: told by `watch.changed`, reports `liveness.changed`. */
    watchers: ongoing<null, WatchChanged>('registry.watchers'),
    /** Reads each doomed record and its process again, and removes the record if the verdict stands. */
    prune: oneShot<readonly Pruned[], { readonly doomed: RegistryContext['doomed'] }>('registry.prune'),
  },
  actions: {
    noteListing: enqueueActions(({ enqueue, context }, listed: Listed) => {
      if (!listed.ok) return;
      const step = afterListing(context, listed.records, listed.at);
      enqueue.assign({ ...step.next, listedAt: listed.at });
      follow(enqueue, step);
    }),
    noteChanges: enqueueActions(({ enqueue, context }, params: { changes: readonly Change[] }) => {
      const step = afterChanges(context, params.changes);
      enqueue.assign(step.next);
      follow(enqueue, step);
    }),
    notePruned: enqueueActions(({ enqueue, context }, results: readonly Pruned[]) => {
      const step = afterPruning(context, results);
      enqueue.assign(step.next);
      follow(enqueue, step);
    }),
    setFault: assign({ fault: (_, params: { fault: Fault }) => params.fault }),
  },
  guards: {
    wasListed: (_, listed: Listed) => listed.ok,
    hasDoomed: ({ context }) => context.doomed.length > 0,
  },
  delays: {
    relist: ({ context }) => context.relistMs,
  },
}).createMachine({
  id: 'registry',
  context: ({ input }) => ({ ...input, known: [], rows: [], doomed: [], listedAt: null, fault: null }),
  initial: 'open',
  output: ({ context }) => ({ fault: context.fault }),
  states: {
    open: {
      type: 'parallel',
      invoke: [
        {
          id: 'watchers',
          src: 'watchers',
          input: null,
          onError: {
            target: 'closed',
            actions: { type: 'setFault', params: ({ event }) => ({ fault: faultOf(event.error) }) },
          },
        },
        // Without it, changes are noticed at the next look.
        { id: 'folder', src: 'folder', input: null, onError: {} },
      ],
      on: {
        'liveness.changed': { actions: { type: 'noteChanges', params: ({ event }) => event } },
        'watching.failed': { target: 'closed', actions: { type: 'setFault', params: ({ event }) => event } },
        'stop.requested': 'closed',
      },
      states: {
        records: {
          initial: 'listing',
          states: {
            listing: {
              invoke: {
                id: 'list',
                src: 'list',
                input: null,
                onDone: [
                  {
                    guard: { type: 'wasListed', params: ({ event }) => event.output },
                    target: 'listed',
                    actions: { type: 'noteListing', params: ({ event }) => event.output },
                  },
                  {
                    target: '#registry.closed',
                    actions: { type: 'setFault', params: ({ event }) => ({ fault: refusal(event.output) }) },
                  },
                ],
                onError: {
                  target: '#registry.closed',
                  actions: { type: 'setFault', params: ({ event }) => ({ fault: faultOf(event.error) }) },
                },
              },
              on: { 'records.changed': { target: 'listing', reenter: true } },
            },
            listed: {
              on: { 'records.changed': 'listing' },
              after: { relist: 'listing' },
            },
          },
        },
        graves: {
          initial: 'quiet',
          states: {
            quiet: { always: { guard: 'hasDoomed', target: 'pruning' } },
            pruning: {
              description:
                'A verdict of a moment ago is not enough to delete by: the process is read again, and the file.',
              invoke: {
                id: 'prune',
                src: 'prune',
                input: ({ context }) => ({ doomed: context.doomed }),
                onDone: { target: 'quiet', actions: { type: 'notePruned', params: ({ event }) => event.output } },
                onError: {
                  target: 'quiet',
                  actions: { type: 'notePruned', params: ({ context, event }) => allKept(context, event.error) },
                },
              },
            },
          },
        },
      },
    },
    closed: { type: 'final' },
  },
});

type Enqueue = {
  emit(event: RegistryEmitted): void;
  sendTo(target: 'watchers', event: WatchChanged): void;
};

/** What the effect `watchers` is told. */
export interface WatchChanged {
  readonly type: 'watch.changed';
  readonly start: readonly string[];
  readonly stop: readonly string[];
}

function follow(enqueue: Enqueue, { emit, start, stop }: Step): void {
  if (start.length + stop.length > 0) enqueue.sendTo('watchers', { type: 'watch.changed', start, stop });
  for (const event of emit) enqueue.emit(event);
}

function refusal(listed: Listed): Fault {
  return listed.ok ? { code: 'E-RUN-007', message: 'refused without a reason' } : listed.fault;
}

/** A pruning that broke removed nothing that is known of. */
function allKept({ doomed }: RegistryContext, error: unknown): readonly Pruned[] {
  return doomed.map(({ sessionId }) => ({ sessionId, result: 'kept', reason: faultOf(error).message, at: 0 }));
}

/**
 * The effects of machines/registry: the folder of running records is read and watched, each record gets a liveness chart under
 * one supervisor, and a record is removed once a new reading of its process confirms that it is gone.
 *
 * Records stay here, with their tokens: charts know them by session id. Read next: liveness.ts (one record).
 */
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createActor, fromCallback, fromPromise } from 'xstate';
import type { LivenessEmitted } from '../../machines/liveness/types.js';
import {
  type Change,
  type Listed,
  type Pruned,
  type RegistryContext,
  registryMachine,
  type WatchChanged,
} from '../../machines/registry/machine.js';
import { toMurError } from '../errors/index.js';
import type { MurmurHome } from '../home/index.js';
import { type ListedRecord, listRecords, processState, pruneRecord } from '../liveness/index.js';
import { type Clock, systemClock } from '../supervise/clock.js';
import { listen, observe } from '../supervise/observe.js';
import { childSpec } from '../supervise/supervisor/spec.js';
import { createSupervisor } from '../supervise/supervisor.js';
import { Gate } from '../wasm/gate.js';
import { livenessLogic } from './liveness.js';
import { outcomeOf } from './outcome.js';
import { factsOf } from './record-facts.js';

export interface RegistryOptions {
  readonly clock?: Clock;
  /** How long a verdict is believed. Ends of processes are noticed at once; this is for doors. Default 5 s. */
  readonly recheckMs?: number;
}

const doorsAtOnce = 16;

/** The registry chart of this machine with its effects in place. */
export function registryLogic(home: MurmurHome, options: RegistryOptions = {}): typeof registryMachine {
  const { clock = systemClock, recheckMs = 5_000 } = options;
  let listed = new Map<string, ListedRecord>();
  /** What a verdict is about is the record its watcher was started with, whatever the file says by now. */
  const watched = new Map<string, ListedRecord>();
  return registryMachine.provide({
    actors: {
      list: fromPromise<Listed, null>(() =>
        outcomeOf(() => {
          listed = new Map(listRecords(home).records.map((record) => [record.session_id, record]));
          return { records: [...listed.values()].map(factsOf), at: clock.now() };
        }),
      ),
      folder: folderWatcher(home.running),
      watchers: watchers({ clock, recheckMs, watched, find: (sessionId) => listed.get(sessionId) }),
      prune: fromPromise<readonly Pruned[], { readonly doomed: RegistryContext['doomed'] }>(async ({ input }) =>
        input.doomed.map(({ sessionId, reason }) => {
          const result = pruneAgain(home, watched.get(sessionId));
          return { sessionId, result, reason, at: clock.now() };
        }),
      ),
    },
  });
}

/** Removes the record of a process that is still gone. */
function pruneAgain(home: MurmurHome, record: ListedRecord | undefined): Pruned['result'] {
  if (record === undefined) return 'ended';
  if (processState(record).verdict !== 'Gone') return 'kept';
  if (pruneRecord(home, record)) return 'pruned';
  return existsSync(join(home.running, record.file)) ? 'kept' : 'ended';
}

/** Reports `records.changed` when a file of the folder comes or goes. Where it cannot be watched, the chart looks now and then. */
function folderWatcher(folder: string) {
  return fromCallback<{ type: string }, null>(({ sendBack }) => {
    let told = false;
    const tell = (): void => {
      if (told) return;
      told = true;
      // A burst of changes is one look.
      setImmediate(() => {
        told = false;
        sendBack({ type: 'records.changed' });
      });
    };
    try {
      const watching = watch(folder, tell).on('error', () => watching.close());
      return () => watching.close();
    } catch {
      return undefined;
    }
  });
}

interface Watching {
  readonly clock: Clock;
  readonly recheckMs: number;
  readonly watched: Map<string, ListedRecord>;
  readonly find: (sessionId: string) => ListedRecord | undefined;
}

/** One liveness chart per session, each its own actor system under one supervisor, so that starting and ending one costs the same however many there are. */
function watchers({ clock, recheckMs, watched, find }: Watching) {
  return fromCallback<WatchChanged, null>(({ sendBack, receive }) => {
    const gate = new Gate(doorsAtOnce);
    const inTurn = async <T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> => {
      await gate.enter(signal);
      try {
        return await ask();
      } finally {
        gate.leave();
      }
    };
    /** Child ids, new for every watcher: one that ends is still there while the next one starts. */
    const children = new Map<string, string>();
    let started = 0;
    const changes = batched((list: readonly Change[]) => sendBack({ type: 'liveness.changed', changes: list }));
    const failed = (error: unknown): void => {
      const { code, message } = toMurError(error);
      sendBack({ type: 'watching.failed', fault: { code, message } });
    };
    const supervisor = createActor(
      createSupervisor({
        stopOrder: 'together',
        intensity: { maxRestarts: 5, withinMs: 10_000 },
        report: () => undefined, // Every failure that counts comes as `watching.failed`.
        clock,
      }),
    );
    observe(supervisor, { error: failed });
    listen(
      supervisor,
      'child.started',
      ({ ref }) => {
        listen(ref, '*', (event: LivenessEmitted) => void changes.add(event), failed);
      },
      failed,
    );
    supervisor.start();
    const stop = (sessionId: string): void => {
      const id = children.get(sessionId);
      if (id !== undefined) supervisor.send({ type: 'sup.terminate', id });
      children.delete(sessionId);
      watched.delete(sessionId);
    };
    const start = (sessionId: string): void => {
      const record = find(sessionId);
      if (record === undefined || children.has(sessionId)) return;
      started += 1;
      const id = `${sessionId}#${started}`;
      children.set(sessionId, id);
      watched.set(sessionId, record);
      supervisor.send({
        type: 'sup.spawn',
        child: childSpec({
          id,
          src: livenessLogic({ record, clock, inTurn }),
          input: { sessionId, recheckMs },
          restart: 'transient',
        }),
      });
    };
    receive((event) => {
      for (const sessionId of event.stop) stop(sessionId);
      for (const sessionId of event.start) start(sessionId);
    });
    return () => {
      changes.close();
      supervisor.stop();
    };
  });
}

/** Collects changes of verdict and hands over those of one turn of the event loop together. */
function batched(hand: (changes: readonly Change[]) => void) {
  let waiting: Change[] = [];
  let closed = false;
  return {
    add({ type, sessionId, reason, at }: LivenessEmitted): void {
      // Whether it runs is known once its door was asked.
      if (type === 'Alive') return;
      if (waiting.length === 0) {
        setImmediate(() => {
          const changes = waiting;
          waiting = [];
          if (!closed) hand(changes);
        });
      }
      waiting.push({ sessionId, verdict: type === 'Unverified' ? 'Unreachable' : type, reason, at });
    },
    close(): void {
      closed = true;
    },
  };
}

import { onTestFinished } from 'vitest';
import { type ActorRefFrom, type AnyActorRef, assign, createActor, fromCallback, SimulatedClock, setup } from 'xstate';
import {
  type ChildSpec,
  childSpec,
  createSupervisor,
  type ExitReport,
  type SupervisorEmitted,
  type SupervisorOptions,
} from '../../src/supervise/index.js';

type WorkerEvent = { type: 'drain' } | { type: 'finish'; output: string } | { type: 'crash' } | { type: 'stall' };

/** Drains politely, finishes with any output, throws on `crash`, and after `stall` ignores `drain`. */
export const worker = setup({
  types: { events: {} as WorkerEvent, context: {} as { output: string }, output: {} as string },
  actions: {
    crash: () => {
      throw new Error('crashed');
    },
    keep: assign({ output: (_, params: { output: string }) => params.output }),
  },
}).createMachine({
  id: 'worker',
  context: { output: 'drained' },
  initial: 'working',
  output: ({ context }) => context.output,
  on: {
    crash: { actions: 'crash' },
    finish: { target: '.ended', actions: { type: 'keep', params: ({ event }) => event } },
  },
  states: {
    working: { on: { drain: 'ended', stall: 'stalled' } },
    stalled: {},
    ended: { type: 'final' },
  },
});

export type Worker = ActorRefFrom<typeof worker>;

/** A worker by that id: `temporary` unless said otherwise, drained by `drain`, abnormal on the output `bad`. */
export function workerSpec(id: string, overrides: Partial<ChildSpec<typeof worker>> = {}): ChildSpec {
  return childSpec({
    id,
    src: worker,
    restart: 'temporary',
    shutdown: 1_000,
    drainEvent: { type: 'drain' },
    isAbnormal: (output) => output === 'bad',
    ...overrides,
  });
}

/** Throws inside `start()`. */
export const stillborn = fromCallback(() => {
  throw new Error('cannot start');
});

/** A started supervisor on a simulated clock, with all it emitted and reported. Stopped when the test ends. */
export function supervise(options: Partial<SupervisorOptions> = {}, events: string[] = []) {
  const clock = new SimulatedClock();
  const emitted: SupervisorEmitted[] = [];
  const reports: ExitReport[] = [];
  const refs = new Map<string, AnyActorRef[]>();
  let failure: unknown;
  const sup = createActor(
    createSupervisor({
      report: (report) => reports.push(report),
      clock: { monotonic: () => clock.now() },
      ...options,
    }),
    { id: 'sup', clock },
  );
  for (const type of [
    'child.started',
    'child.exited',
    'child.disposed',
    'child.restarting',
    'child.refused',
  ] as const) {
    sup.on(type, (event) => {
      emitted.push(event);
      events.push(`${type.slice('child.'.length)} ${event.id}`);
      if (event.type === 'child.started') refs.set(event.id, [...(refs.get(event.id) ?? []), event.ref]);
    });
  }
  for (const type of ['sup.escalated', 'sup.drained'] as const) {
    sup.on(type, (event) => {
      emitted.push(event);
      events.push(type.slice('sup.'.length));
    });
  }
  sup.subscribe({ error: (error) => (failure = error) });
  sup.start();
  onTestFinished(() => void sup.stop());
  return {
    sup,
    clock,
    emitted,
    reports,
    events,
    failure: () => failure,
    /** The latest incarnation of a child. */
    child: (id: string) => refs.get(id)!.at(-1)! as Worker,
    spawn: (...specs: ChildSpec[]) => {
      for (const child of specs) sup.send({ type: 'sup.spawn', child });
    },
    drain: (deadlineMs?: number) =>
      sup.send({ type: 'sup.drain', ...(deadlineMs === undefined ? {} : { deadlineMs }) }),
    ids: () => [...sup.getSnapshot().context.children.keys()],
    status: () => sup.getSnapshot().status,
    exits: () =>
      emitted.flatMap((event) => (event.type === 'child.exited' ? [{ id: event.id, ...event.exit } as const] : [])),
    take: () => events.splice(0),
  };
}

/** A promise and the function that settles it. */
export function gate(): { opened: Promise<void>; open: () => void; fail: (error: unknown) => void } {
  let open: () => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open, fail };
}

/** Lets every promise that is already settled run its reactions. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

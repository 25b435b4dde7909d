/**
 * Wires one launch: the root chart, the supervisor of sessions, one session with its effects and its resource scope. Decides nothing
 * a chart decides. `mur run` is one call of `launch`; a library user may make several in one process.
 * Read next: ../../machines/session/machine.ts (what happens), ../effects/index.ts (what does it).
 */
import { type Actor, createActor, fromCallback } from 'xstate';
import { type MurmurOutput, murmurMachine } from '../../machines/murmur/machine.js';
import type { SessionEvent, SessionOutput, StopCause } from '../../machines/session/machine.js';
import { traceCredential } from '../effects/credential.js';
import {
  DeadlineNotice,
  noTotals,
  processEvents,
  SessionLog,
  type SessionWorld,
  sessionLogic,
} from '../effects/index.js';
import { EventRecorder } from '../effects/recorder.js';
import { SessionSecrets } from '../effects/secrets.js';
import { StreamFeed } from '../effects/stream-feed.js';
import { TokenCounter } from '../effects/token-counter.js';
import { MurError, reasonOf, toMurError } from '../errors/index.js';
import { type MurmurHome, murmurHome, removeLeftovers } from '../home/index.js';
import { sweepRecords } from '../liveness/index.js';
import { StageDraft, type StageRequest } from '../stage/index.js';
import { TaskRegistry } from '../task/index.js';
import { createWasmHost, type WasmHost } from '../wasm/index.js';
import { type Clock, systemClock } from './clock.js';
import { armAbort, armDeadline, type EndLimits, limitsOf, releaseRest } from './ending.js';
import type { NoticeListener } from './notice.js';
import { listen, observe } from './observe.js';
import { type LaunchResult, LaunchWatch, resultOf } from './result.js';
import { ResourceScope, scopeFaults } from './scope.js';
import { childSpec, type ExitReport, type SupervisorEmitted } from './supervisor/spec.js';
import { createSupervisor } from './supervisor.js';

const defaultIdleSeconds = 30;
/** What a signal, an abort or a drain asks a session. */
const stopRequest: SessionEvent = { type: 'stop.requested', cause: 'session_stopped' };

export type { LaunchResult } from './result.js';

export interface LaunchOptions {
  readonly onNotice?: NoticeListener;
  readonly clock?: Clock;
  readonly home?: MurmurHome;
  /** Shared by several launches of one process; the caller closes it. Absent: made for this launch and closed with it. */
  readonly wasm?: WasmHost;
  /**
   * Take SIGTERM and SIGINT, and end in order on an error that nobody caught. Default false: an embedding program keeps its own
   * handling.
   */
  readonly handleSignals?: boolean;
  /** Aborting asks the session to stop, like a first SIGTERM. */
  readonly signal?: AbortSignal;
  /** Longest it may take to end once asked to; then it is given up, and `forced`. Default 20 s. */
  readonly endWithinMs?: number;
  /** Hears supervisor reports: children that failed, were forced, or released late. */
  readonly onReport?: (report: ExitReport) => void;
}

/** Runs one session from request to end. Resolves however it ends; rejects only for a bug of the runtime. */
export async function launch(request: StageRequest, options: LaunchOptions = {}): Promise<LaunchResult> {
  const clock = options.clock ?? systemClock;
  const scope = new ResourceScope('session', { clock });
  const watch = new LaunchWatch(options.onNotice);
  const limits = limitsOf(options.endWithinMs);
  const world = createWorld(request, options, scope, watch.notify);
  if (request.inspect === true) world.inspection = await createInspection(world);
  const supervisor = createSupervisor({
    onDispose: async () => {
      const faults = scopeFaults(await scope.close('session exited'));
      for (const fault of faults) world.draft.warn('W-RUN-903', fault);
    },
    disposeMs: limits.disposeMs,
    report: (report) => options.onReport?.(report),
    clock,
  });
  const root = createActor(
    murmurMachine.provide({
      actors: {
        sessions: supervisor,
        signals:
          options.handleSignals === true
            ? processEvents((error) => logBug(world, error))
            : fromCallback<{ type: string }, undefined>(() => undefined),
      },
    }),
    {
      input: { forceAfterMs: limits.forceAfterMs, firstSignal: request.inference === undefined ? 'forces' : 'drains' },
    },
  );
  let output: MurmurOutput;
  try {
    output = await runRoot(root, world, options, watch, limits);
  } finally {
    root.stop();
    await releaseRest(world, limits.giveUpMs);
  }
  return resultOf(world, watch, output);
}

/** Loaded only here: a launch that nobody can watch pays nothing for it. */
async function createInspection(world: SessionWorld) {
  const { SessionInspection } = await import('../inspect/session.js');
  return new SessionInspection(world);
}

function logBug({ log, draft }: SessionWorld, error: unknown): void {
  const stack = error instanceof Error ? error.stack : undefined;
  const message = `an error nobody caught: ${reasonOf(error)}`;
  log.write({ level: 'error', message, session: draft.sessionId, ...(stack === undefined ? {} : { stack }) });
}

function createWorld(
  request: StageRequest,
  options: LaunchOptions,
  scope: ResourceScope,
  notify: NoticeListener,
): SessionWorld {
  const clock = options.clock ?? systemClock;
  const home = options.home ?? murmurHome();
  const wasm = options.wasm ?? createWasmHost({ cacheDir: home.compiled });
  if (options.wasm === undefined) scope.use('workers', () => wasm.close());
  removeLeftovers(home);
  pruneRecords(home);
  const tokens = new TokenCounter();
  scope.use('token counter', () => tokens.close());
  const log = new SessionLog();
  const draft = new StageDraft({
    request,
    home,
    clock,
    scope,
    wasm,
    notify: (notice) => {
      if (notice.type === 'warning') log.write({ level: 'warn', message: notice.message, code: notice.code });
      world.inspection?.notice(notice);
      notify(notice);
    },
  });
  const { taskAcceptance, queueDepth, deadlineNoticeSeconds } = draft.lifecycle;
  const registry = new TaskRegistry({ acceptance: taskAcceptance, queueDepth, now: () => clock.now() });
  const world: SessionWorld = {
    draft,
    registry,
    feed: new StreamFeed(registry, clock),
    log,
    secrets: new SessionSecrets(draft),
    recorder: new EventRecorder(clock, (message) => log.write({ level: 'error', message })),
    totals: noTotals(),
    tokens,
    work: new Map(),
    deadlineNotice:
      request.deadlineMs === undefined
        ? undefined
        : new DeadlineNotice(clock, request.deadlineMs, deadlineNoticeSeconds),
    startedAtMs: clock.monotonic(),
    trace: undefined,
    blobs: undefined,
    url: undefined,
    continuation: undefined,
    commands: undefined,
    breach: undefined,
    inspection: undefined,
    refusing: undefined,
    send: () => undefined,
    childOf: () => undefined,
  };
  draft.onCredentialChange = (artifact, name, change) => {
    // Before the new key is used for anything.
    world.secrets.learn();
    traceCredential(world, artifact, { source: 'config', credential: name, ...change });
  };
  return world;
}

/** Takes the running records of killed processes away. Who reads records next would do it too; no launch depends on it. */
function pruneRecords(home: MurmurHome): void {
  try {
    sweepRecords(home);
  } catch {
    // A directory that cannot be used is told of when this session's own record goes there.
  }
}

/** Starts the root chart with its one session and waits for the chart's final state. */
function runRoot(
  root: Actor<typeof murmurMachine>,
  world: SessionWorld,
  options: LaunchOptions,
  watch: LaunchWatch,
  limits: EndLimits,
) {
  return new Promise<MurmurOutput>((resolve, reject) => {
    observe(root, {
      error: (error) => reject(toMurError(error)),
      complete: () => resolve(root.getSnapshot().output ?? { signal: null, forced: false, fault: null }),
    });
    /** Asks the session to stop for this cause, and the root to see that it does in time. */
    const stop = (cause: StopCause): void => {
      world.send({ type: 'stop.requested', cause });
      root.send({ type: 'stop.requested' });
    };
    root.start();
    const sessions = root.getSnapshot().children.sessions;
    if (sessions === undefined) throw new MurError('E-RUN-007', 'the supervisor of sessions did not start');
    listen(
      sessions,
      '*',
      (event: SupervisorEmitted) => {
        if (event.type === 'child.started') {
          world.send = (fact: SessionEvent) => event.ref.send(fact);
          world.childOf = (id: string) => event.ref.getSnapshot().children[id];
          world.inspection?.begin(event.ref);
          root.send({ type: 'session.started', id: event.id });
          armDeadline(world, () => stop('deadline_reached'));
          armAbort(world, options.signal, () => stop('session_stopped'));
        }
        if (event.type === 'child.exited') {
          watch.exited(
            event.exit.kind === 'abnormal'
              ? { fault: event.exit.reason }
              : { output: (event.exit as { output?: SessionOutput }).output },
          );
          root.send({ type: 'session.exited', id: event.id });
        }
      },
      (error) => reject(toMurError(error)),
    );
    sessions.send({
      type: 'sup.spawn',
      child: childSpec({
        id: 'session',
        src: sessionLogic(world),
        input: inputOf(world, limits.drainMs),
        restart: 'temporary',
        // The root gives up first; what it then tells the process is the signal, not a late child.
        shutdown: limits.forceAfterMs + limits.giveUpMs,
        drainEvent: stopRequest,
        system: { inspect: (event) => world.recorder.inspect(event) },
      }),
    });
  });
}

function inputOf({ draft }: SessionWorld, drainLimitMs: number) {
  const { request, lifecycle } = draft;
  const idleSeconds = Number(request.hostEnv.MURMUR_A2A_TIMEOUT_SECS);
  return {
    capsuleName: request.capsuleName,
    capsuleVersion: request.capsuleVersion,
    kind: request.inference === undefined ? ('script' as const) : ('agent' as const),
    hasTask: request.taskInput !== undefined,
    acceptance: lifecycle.taskAcceptance,
    afterTask: lifecycle.afterTask,
    maxTurns: request.inference?.maxTurns ?? 0,
    idleTimeoutMs: (Number.isInteger(idleSeconds) && idleSeconds > 0 ? idleSeconds : defaultIdleSeconds) * 1000,
    drainLimitMs,
  };
}

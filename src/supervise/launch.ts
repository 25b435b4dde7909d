/**
 * Wires one launch: the root chart, the supervisor of sessions, one session with its effects and its resource scope. Decides nothing
 * a chart decides. `mur run` is one call of `launch`; a library user may make several in one process.
 * Read next: ../../machines/session/machine.ts (what happens), ../effects/index.ts (what does it).
 */
import { constants } from 'node:os';
import { type Actor, createActor, fromCallback } from 'xstate';
import type { Fault } from '../../machines/effect.js';
import { type MurmurOutput, murmurMachine } from '../../machines/murmur/machine.js';
import type { SessionEvent, SessionOutput, SessionStatus, StopCause } from '../../machines/session/machine.js';
import { traceCredential } from '../effects/credential.js';
import {
  countdown,
  DeadlineNotice,
  noTotals,
  processEvents,
  SessionLog,
  type SessionWorld,
  sessionLogic,
} from '../effects/index.js';
import { EventRecorder } from '../effects/recorder.js';
import { type ErrorCode, errorTable, MurError, reasonOf, toMurError } from '../errors/index.js';
import { type MurmurHome, murmurHome, removeLeftovers } from '../home/index.js';
import { sweepRecords } from '../liveness/index.js';
import { StageDraft, type StageRequest } from '../stage/index.js';
import { TaskRegistry } from '../task/index.js';
import { createWasmHost, type WasmHost } from '../wasm/index.js';
import { type Clock, systemClock } from './clock.js';
import type { NoticeListener, SessionNotice } from './notice.js';
import { listen, observe } from './observe.js';
import { ResourceScope, scopeFaults } from './scope.js';
import { childSpec, type ExitReport, type SupervisorEmitted } from './supervisor/spec.js';
import { createSupervisor } from './supervisor.js';

/** Longest a launch may take to end once it was asked to, given up or not (spec/session.md 12). */
const defaultEndWithinMs = 20_000;
const defaultIdleSeconds = 30;
/** What a signal, an abort or a drain asks a session. */
const stopRequest: SessionEvent = { type: 'stop.requested', cause: 'session_stopped' };

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

export interface LaunchResult {
  /** `undefined` when staging refused before the id was minted. */
  readonly sessionId: string | undefined;
  /** The work folder. */
  readonly workdir: string | undefined;
  readonly recordsDir: string | undefined;
  readonly status: SessionStatus;
  /** The answer of the last task that completed. */
  readonly answer: string | undefined;
  /** Why the status is not `ok`. */
  readonly error: MurError | undefined;
  /** For a process that ran this launch alone (spec/cli.md 11.3). */
  readonly exitCode: number;
  /** It was given up: exit at once, something may still be running. What was written is on the disk all the same. */
  readonly forced: boolean;
}

/** Runs one session from request to end. Resolves however it ends; rejects only for a bug of the runtime. */
export async function launch(request: StageRequest, options: LaunchOptions = {}): Promise<LaunchResult> {
  const clock = options.clock ?? systemClock;
  const scope = new ResourceScope('session', { clock });
  const watch = new Watcher(options.onNotice);
  const limits = limitsOf(options.endWithinMs ?? defaultEndWithinMs);
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

/** How the time to end is shared out. Each step leaves the next one enough, so that limits never add up past the whole. */
interface Limits {
  /** Of `draining`, which ends by itself then. */
  readonly drainMs: number;
  /** Of a release after the chart has ended. */
  readonly disposeMs: number;
  /** When the root gives the sessions up. */
  readonly forceAfterMs: number;
  /** Of what a launch still does once it was given up. */
  readonly giveUpMs: number;
}

function limitsOf(endWithinMs: number): Limits {
  const giveUpMs = endWithinMs / 20;
  const forceAfterMs = endWithinMs - giveUpMs;
  return { giveUpMs, forceAfterMs, drainMs: endWithinMs * 0.7, disposeMs: endWithinMs * 0.2 };
}

/**
 * For a session that was given up: its lines reach the disk, and what it still holds is asked to let go. Nothing is left to do
 * after any other end.
 */
async function releaseRest({ draft, trace, recorder }: SessionWorld, withinMs: number): Promise<void> {
  const enough = new AbortController();
  const flushed = Promise.allSettled([trace?.flush(), recorder.flush()]);
  const late = draft.clock.sleep(withinMs / 2, enough.signal).catch(() => undefined);
  await Promise.race([flushed, late]);
  enough.abort();
  await draft.scope.close('given up', { deadlineMs: withinMs / 2 });
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
  const world: SessionWorld = {
    draft,
    registry: new TaskRegistry({ acceptance: taskAcceptance, queueDepth, now: () => clock.now() }),
    log,
    recorder: new EventRecorder(clock, (message) => log.write({ level: 'error', message })),
    totals: noTotals(),
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
    inspection: undefined,
    send: () => undefined,
  };
  draft.onCredentialChange = (artifact, name, change) =>
    traceCredential(world, artifact, { source: 'config', credential: name, ...change });
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
  watch: Watcher,
  limits: Limits,
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

function armDeadline({ draft }: SessionWorld, reached: () => void): void {
  const { request, clock, scope } = draft;
  if (request.deadlineMs !== undefined) scope.use('deadline', countdown(clock, request.deadlineMs, reached));
}

function armAbort({ draft }: SessionWorld, signal: AbortSignal | undefined, aborted: () => void): void {
  if (signal?.aborted) aborted();
  signal?.addEventListener('abort', aborted, { once: true });
  // The signal may outlive many launches.
  draft.scope.use('abort listener', () => signal?.removeEventListener('abort', aborted));
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

/** Collects what the result needs from notices and from the session's exit. */
class Watcher {
  readonly #listener: NoticeListener | undefined;
  answer: string | undefined;
  output: SessionOutput | undefined;
  bug: unknown;

  constructor(listener: NoticeListener | undefined) {
    this.#listener = listener;
  }

  readonly notify = (notice: SessionNotice): void => {
    if (notice.type === 'task.ended' && notice.answer !== undefined) this.answer = notice.answer;
    try {
      this.#listener?.(notice);
    } catch {
      // A listener that throws must not change what the session does; its author sees nothing drawn.
    }
  };

  exited(exit: { readonly output?: SessionOutput | undefined } | { readonly fault: unknown }): void {
    if ('fault' in exit) this.bug = exit.fault;
    else this.output = exit.output;
  }
}

function resultOf(world: SessionWorld, watch: Watcher, root: MurmurOutput): LaunchResult {
  const { draft } = world;
  const ended = watch.output?.status ?? (root.forced ? 'canceled' : 'failed');
  // A break above the session is no peaceful end, whatever the session made of it.
  const status = root.fault !== null && peaceful.has(ended) ? 'failed' : ended;
  const error = watch.bug !== undefined ? toMurError(watch.bug) : errorOf(status, watch.output?.fault ?? root.fault);
  draft.notify({ type: 'session.ended', sessionId: draft.sessionId ?? '', status });
  return {
    sessionId: draft.sessionId,
    workdir: draft.folders?.accessibleWorkdir,
    recordsDir: draft.folders?.recordsDir,
    status,
    answer: watch.answer,
    error,
    exitCode: root.forced ? 128 + constants.signals[root.signal ?? 'SIGTERM'] : exitCodeOf(status, error),
    forced: root.forced,
  };
}

/** Statuses that end a launch without an error (spec/session.md 2.5). */
const peaceful: ReadonlySet<SessionStatus> = new Set(['ok', 'deadline_reached', 'formation_ended']);

function errorOf(status: SessionStatus, fault: Fault | null): MurError | undefined {
  if (peaceful.has(status)) return undefined;
  const code = (fault !== null && fault.code in errorTable ? fault.code : 'E-RUN-040') as ErrorCode;
  const reason = fault?.message ?? (status === 'canceled' ? 'it was asked to stop' : 'no reason was given');
  const message = code === 'E-RUN-040' ? `the task ended ${status}: ${reason}` : reason;
  return new MurError(code, message, fault?.hint === undefined ? {} : { hint: fault.hint });
}

function exitCodeOf(status: SessionStatus, error: MurError | undefined): number {
  return peaceful.has(status) ? 0 : (error?.exit ?? 1);
}

/**
 * Wires one launch: the root chart, the supervisor of sessions, one session with its effects and its resource scope. Decides nothing
 * a chart decides. `mur run` is one call of `launch`; a library user may make several in one process.
 * Read next: ../../machines/session/machine.ts (what happens), ../effects/index.ts (what does it).
 */
import { constants } from 'node:os';
import { type Actor, createActor, fromCallback } from 'xstate';
import type { Fault } from '../../machines/effect.js';
import { murmurMachine } from '../../machines/murmur/machine.js';
import type { SessionEvent, SessionOutput, SessionStatus } from '../../machines/session/machine.js';
import { traceCredential } from '../effects/credential.js';
import {
  countdown,
  DeadlineNotice,
  noTotals,
  processSignals,
  SessionLog,
  type SessionWorld,
  sessionLogic,
} from '../effects/index.js';
import { EventRecorder } from '../effects/recorder.js';
import { type ErrorCode, errorTable, MurError, toMurError } from '../errors/index.js';
import { type MurmurHome, murmurHome, removeAbandoned } from '../home/index.js';
import { StageDraft, type StageRequest } from '../stage/index.js';
import { TaskRegistry } from '../task/index.js';
import { createWasmHost, type WasmHost } from '../wasm/index.js';
import { type Clock, systemClock } from './clock.js';
import type { NoticeListener, SessionNotice } from './notice.js';
import { listen, observe } from './observe.js';
import { ResourceScope } from './scope.js';
import { childSpec, type ExitReport, type SupervisorEmitted } from './supervisor/spec.js';
import { createSupervisor } from './supervisor.js';

/** Longest a session may take to end once it was asked to (spec/session.md 12). */
const forceAfterMs = 20_000;
/** What `draining` may take of it: less, so that the chart ends by itself. */
const drainLimitMs = 15_000;
const defaultIdleSeconds = 30;
/** What a signal, an abort or a drain asks a session. */
const stopRequest: SessionEvent = { type: 'stop.requested', cause: 'session_stopped' };

export interface LaunchOptions {
  readonly onNotice?: NoticeListener;
  readonly clock?: Clock;
  readonly home?: MurmurHome;
  /** Shared by several launches of one process; the caller closes it. Absent: made for this launch and closed with it. */
  readonly wasm?: WasmHost;
  /** Take SIGTERM and SIGINT. Default false: an embedding program keeps its own handling. */
  readonly handleSignals?: boolean;
  /** Aborting asks the session to stop, like a first SIGTERM. */
  readonly signal?: AbortSignal;
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
  /** A signal ended the launch by force: exit at once, something may still be running. */
  readonly forced: boolean;
}

/** Runs one session from request to end. Resolves however it ends; rejects only for a bug of the runtime. */
export async function launch(request: StageRequest, options: LaunchOptions = {}): Promise<LaunchResult> {
  const clock = options.clock ?? systemClock;
  const scope = new ResourceScope('session', { clock });
  const watch = new Watcher(options.onNotice);
  const world = createWorld(request, options, scope, watch.notify);
  const supervisor = createSupervisor({
    onDispose: async () => {
      await scope.close('session exited');
    },
    disposeMs: forceAfterMs - drainLimitMs,
    report: (report) => options.onReport?.(report),
    clock,
  });
  const root = createActor(
    murmurMachine.provide({
      actors: {
        sessions: supervisor,
        signals:
          options.handleSignals === true ? processSignals : fromCallback<{ type: string }, undefined>(() => undefined),
      },
    }),
    { input: { forceAfterMs } },
  );
  const output = await runRoot(root, world, options, watch);
  if (watch.output === undefined) await scope.close('forced');
  return resultOf(world, watch, output);
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
  removeAbandoned(home, clock.now());
  const log = new SessionLog();
  const draft = new StageDraft({
    request,
    home,
    clock,
    scope,
    wasm,
    notify: (notice) => {
      if (notice.type === 'warning') log.write({ level: 'warn', message: notice.message, code: notice.code });
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
    send: () => undefined,
  };
  draft.onCredentialChange = (artifact, name, change) =>
    traceCredential(world, artifact, { source: 'config', credential: name, ...change });
  return world;
}

/** Starts the root chart with its one session and waits for the chart's final state. */
function runRoot(root: Actor<typeof murmurMachine>, world: SessionWorld, options: LaunchOptions, watch: Watcher) {
  return new Promise<{ readonly signal: NodeJS.Signals | null; readonly forced: boolean }>((resolve, reject) => {
    observe(root, {
      error: (error) => reject(toMurError(error)),
      complete: () => resolve(root.getSnapshot().output ?? { signal: null, forced: false }),
    });
    root.start();
    const sessions = root.getSnapshot().children.sessions;
    if (sessions === undefined) throw new MurError('E-RUN-007', 'the supervisor of sessions did not start');
    listen(
      sessions,
      '*',
      (event: SupervisorEmitted) => {
        if (event.type === 'child.started') {
          world.send = (fact: SessionEvent) => event.ref.send(fact);
          root.send({ type: 'session.started', id: event.id });
          armDeadline(world);
          options.signal?.addEventListener('abort', () => world.send(stopRequest), { once: true });
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
        input: inputOf(world),
        restart: 'temporary',
        shutdown: forceAfterMs,
        drainEvent: stopRequest,
        system: { inspect: (event) => world.recorder.inspect(event) },
      }),
    });
  });
}

function armDeadline(world: SessionWorld): void {
  const { request, clock, scope } = world.draft;
  if (request.deadlineMs === undefined) return;
  scope.use(
    'deadline',
    countdown(clock, request.deadlineMs, () => world.send({ type: 'stop.requested', cause: 'deadline_reached' })),
  );
}

function inputOf({ draft }: SessionWorld) {
  const { request, lifecycle } = draft;
  const idleSeconds = Number(request.hostEnv.MURMUR_A2A_TIMEOUT_SECS);
  return {
    capsuleName: request.capsuleName,
    capsuleVersion: request.capsuleVersion,
    kind: request.inference === undefined ? ('script' as const) : ('agent' as const),
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

function resultOf(
  world: SessionWorld,
  watch: Watcher,
  root: { readonly signal: NodeJS.Signals | null; readonly forced: boolean },
): LaunchResult {
  const { draft } = world;
  const status = watch.output?.status ?? (root.forced ? 'canceled' : 'failed');
  const error = watch.bug !== undefined ? toMurError(watch.bug) : errorOf(status, watch.output?.fault ?? null);
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

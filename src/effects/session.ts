import { fromPromise } from 'xstate';
import type { CloseInput, OpenOutcome, ScriptOutcome, StopCause, TaskRef } from '../../machines/session/machine.js';
import { type DoorAuth, isExposed, openDoor, SessionStreams } from '../door/index.js';
import { MurError } from '../errors/index.js';
import { applyRetention } from '../home/index.js';
import { publishRecord, recordOfThisProcess } from '../liveness/index.js';
import { needed } from '../stage/draft.js';
import { sessionStartFields } from '../stage/report.js';
import { writeMurmurMd } from '../stage/write.js';
import { mintId } from '../supervise/ids.js';
import { laneOf } from '../task/index.js';
import { manage } from './artifact-manager.js';
import { callComponent } from './component.js';
import { lockDoor } from './door-lock.js';
import { guestCommands } from './guest.js';
import { outcomeOf } from './outcome.js';
import { nobody, sendMessage } from './peers.js';
import { invokeTool } from './registry.js';
import { taskPort } from './task-port.js';
import { type SessionWorld, traceOf } from './world.js';

/**
 * Opens a session for work, in the order of spec/session.md 5.1: listen, running record, MURMUR.md, first trace line, retention.
 * The announcement comes last, so that whoever reads it finds all of that done.
 */
export const openSession = (world: SessionWorld) =>
  fromPromise<OpenOutcome, null>(({ signal }) =>
    outcomeOf(async () => {
      const { draft } = world;
      const { request, scope } = draft;
      const folders = needed(draft.folders, 'mint');
      const sessionId = needed(draft.sessionId, 'mint');
      holdLog(world);
      // Before the door: what commands need and cannot have refuses the launch, and nobody was told of a session yet.
      await openCommandsOf(world);
      // Before the door, so that it outlives it: no request under way meets an erased key.
      const auth = lockDoor(world);
      const door = await openDoor({
        bindAddr: request.bindAddr,
        ...(request.internalPort === undefined ? {} : { port: request.internalPort }),
        card: {
          sessionId,
          name: request.capsuleName,
          version: request.capsuleVersion,
          acceptance: draft.lifecycle.taskAcceptance,
          tools: needed(draft.inventory, 'write').items.map((item) => item.name),
          shell: request.policy.shellAllow.length > 0,
          network: request.policy.networkAllow.length > 0,
          acceptsPeerTasks: request.manifest.exports?.peerTasks === true,
        },
        auth,
        tasks: taskPort(world),
        streams: new SessionStreams({
          bus: world.feed.bus,
          conversation: draft.lifecycle.conversation,
          onLag: (missed) => draft.notify(lagNotice(missed)),
        }),
        clock: draft.clock,
        side: world.inspection?.endpoint,
      });
      scope.use('door', () => door.close());
      // Released first: a stream that goes on would hold the door up.
      scope.use('streams', () => world.feed.close());
      // No await from here to the announcement: a request is not read before the first trace line is written.
      if (signal.aborted) throw new MurError('E-RUN-007', 'the session was stopped while its door opened');
      world.url = door.url;
      const page = inspect(world, door.port);
      publish(world, door.url, auth);
      writeMurmurMd(draft, door.url);
      traceOf(world).write('session_start', sessionStartFields(draft));
      retain(world);
      if (auth === undefined && isExposed(request.bindAddr)) {
        draft.warn(
          'W-SEC-032',
          `the door listens on ${request.bindAddr} without authentication: anyone who can reach it can send tasks and read the card`,
        );
      }
      const launchTask = enqueueLaunchTask(world);
      draft.notify({
        type: 'door.listening',
        sessionId,
        url: door.url,
        pid: process.pid,
        workdir: folders.accessibleWorkdir,
        ...(auth && { auth: 'bearer' }),
      });
      if (page !== undefined) draft.notify({ type: 'inspection.listening', url: page });
      await openLog(world);
      return { url: door.url, launchTask };
    }),
  );

/** Runs a script capsule's component once (spec/session.md section 15). */
export const runScript = (world: SessionWorld) =>
  fromPromise<ScriptOutcome, null>(({ signal }) =>
    outcomeOf(async () => {
      const { draft } = world;
      const name = draft.request.capsuleName;
      holdLog(world);
      await openLog(world);
      // It has no turns that would end: outgrowing the folder ends its one call.
      const outgrown = new AbortController();
      await openCommandsOf(world, () => outgrown.abort());
      const ending = AbortSignal.any([signal, outgrown.signal]);
      const commands = await guestCommands(world, {
        taskId: null,
        turn: 0,
        contextId: '',
        trust: 'trusted',
        signal: ending,
      });
      const outcome = await callComponent(world, {
        kind: 'capsule',
        name,
        component: needed(draft.capsule, 'compile'),
        depth: 0,
        signal: commands?.signal ?? ending,
        host: {
          invoke: invokeTool(world, { commands, sender: nobody }),
          manage: manage(world),
          send: sendMessage(world, nobody),
          ...(commands && { shell: commands.host() }),
        },
      });
      await commands?.settled();
      if (commands?.fatal !== undefined) throw commands.fatal;
      const breach = outcome.status === 'failed' ? world.breach?.() : undefined;
      if (breach !== undefined) throw (await import('../resources/index.js')).sizeError(breach);
      if (outcome.status === 'failed') throw new MurError('E-RUN-001', outcome.failure.message);
      return {};
    }),
  );

/** Refuses every task that was accepted and will not run (spec/session.md 5.5 step 1). */
export const refusePending = (world: SessionWorld) =>
  fromPromise<null, { readonly pending: readonly TaskRef[]; readonly stopCause: StopCause | null }>(
    async ({ input }) => {
      if (world.draft.folders === undefined) return null;
      world.draft.notify({ type: 'session.draining', reason: input.stopCause ?? 'done' });
      const cause = input.stopCause === null ? 'session_ended' : 'session_stopped';
      world.refusing = cause;
      for (const task of world.registry.close()) {
        const source = input.pending.find((pending) => pending.taskId === task.taskId)?.source ?? 'a2a';
        traceOf(world).write('task_rejected', {
          task_id: task.taskId,
          context_id: task.contextId,
          source,
          cause,
          reason: task.message ?? '',
        });
      }
      return null;
    },
  );

/** Writes the last lines of a session that got as far as its first. */
export const closeSession = (world: SessionWorld) =>
  fromPromise<null, CloseInput>(async ({ input }) => {
    const { draft, totals } = world;
    if (world.url !== undefined && input.status !== 'trapped') {
      traceOf(world).write('session_end', {
        total_turns: totals.turns,
        total_input_tokens: totals.inputTokens,
        total_output_tokens: totals.outputTokens,
        total_tool_calls: totals.toolCalls,
        total_shell_calls: totals.shellCalls,
        duration_ms: Math.round(draft.clock.monotonic() - world.startedAtMs),
        exit_status:
          input.status === 'no_answer' || input.status === 'reopen_budget_exhausted' ? 'failed' : input.status,
      });
    }
    await endCommands(world);
    const keptBytes = world.blobs?.writtenBytes ?? 0;
    if (keptBytes > 0) {
      const message = `trace.capture: content kept ${keptBytes} bytes of requests and answers in ${draft.folders?.recordsDir}/blobs`;
      draft.notify({ type: 'warning', code: '', message, origin: 'runtime' });
    }
    if (input.fault !== null) world.log.write({ level: 'error', message: input.fault.message, code: input.fault.code });
    await Promise.all([world.trace?.flush(), world.recorder.flush()]);
    return null;
  });

/** What still runs ends behind `session_end`, and before anybody is told that the session is gone (spec/session.md 5.5). */
async function endCommands({ commands, draft }: SessionWorld): Promise<void> {
  if (commands === undefined) return;
  const { abandonedSummary } = await import('./command.js');
  const summary = abandonedSummary(await commands.sweep());
  if (summary !== undefined) draft.notify({ type: 'warning', code: '', message: summary, origin: 'runtime' });
}

/** Releases everything the session opened, last in first out. */
export const retireSession = (world: SessionWorld) =>
  fromPromise<null, null>(async () => {
    await world.draft.scope.close('session ended');
    return null;
  });

function lagNotice(missed: number) {
  const message = `SSE broadcast lagged by ${missed} events`;
  return { type: 'warning', code: '', message, origin: 'runtime' } as const;
}

/** Opens what the commands of the session need, where it may run any. */
async function openCommandsOf(world: SessionWorld, onBreach: () => void = () => undefined): Promise<void> {
  const { request, natives, folders } = world.draft;
  if (request.policy.shellAllow.length + natives.size > 0) {
    world.commands = await (await import('./command-session.js')).openCommands(world, onBreach);
    return;
  }
  // The limits of `resources` are about native processes: without one, a default is not worth a walk through the folder every ten seconds.
  const { workdirMaxBytes: maxBytes } = request.policy.declaredResources;
  if (maxBytes === undefined) return;
  const { accessibleWorkdir } = needed(folders, 'mint');
  (await import('./size-watch.js')).watchSize(world, { folders: [accessibleWorkdir], maxBytes }, onBreach);
}

/** Before anything else is opened, so that it closes last: what ends before it is heard. */
function holdLog({ draft, log }: SessionWorld): void {
  draft.scope.use('log', () => log.close());
}

/** Opens the session's log. Everything said so far is written then. */
async function openLog({ draft, log }: SessionWorld): Promise<void> {
  await log.open(needed(draft.folders, 'mint').recordsRoot);
}

function retain(world: SessionWorld): void {
  const { request, home, clock } = world.draft;
  const retained = request.trace.retain;
  if (retained === undefined) return;
  const maxAgeMs = retained.maxAgeSeconds === undefined ? undefined : retained.maxAgeSeconds * 1000;
  const limits = { maxSessions: retained.maxSessions, maxAgeMs };
  const report = applyRetention({ home, folders: needed(world.draft.folders, 'mint'), limits, nowMs: clock.now() });
  for (const outcome of report.outcomes) traceOf(world).write('retention', outcome);
  for (const message of report.failures) world.log.write({ level: 'warn', message });
}

/** Before the running record is written: whoever reads that finds the token beside it. */
function inspect({ draft, inspection }: SessionWorld, port: number): string | undefined {
  if (inspection === undefined) return undefined;
  draft.scope.use('inspection', () => inspection.close());
  return inspection.open(port);
}

function publish(world: SessionWorld, url: string, auth: DoorAuth | undefined): void {
  const { request, home, scope, clock, sessionId, folders } = world.draft;
  const record = recordOfThisProcess(
    {
      sessionId: needed(sessionId, 'mint'),
      url,
      capsuleName: request.capsuleName,
      capsuleVersion: request.capsuleVersion,
      recordsDir: needed(folders, 'mint').recordsDir,
      ...(auth && { doorToken: auth.operator, credentials: auth.credentials }),
    },
    clock,
  );
  const outcome = publishRecord(home, record);
  if (outcome.status === 'published') scope.use('running record', () => outcome.guard.retire());
  else
    world.draft.warn(
      'W-SEC-023',
      `the running record could not be written: ${outcome.reason}; this session is not addressable`,
    );
}

function enqueueLaunchTask(world: SessionWorld): TaskRef | null {
  const { request, clock, taskText } = world.draft;
  if (taskText === undefined) return null;
  const task = {
    taskId: mintId('tsk'),
    contextId: request.contextId ?? mintId('ctx'),
    source: 'task_md' as const,
  };
  world.registry.enqueueLaunchTask({
    ...task,
    text: taskText,
    origin: 'user',
    trust: 'trusted',
    receivedAtMs: clock.now(),
  });
  return { ...task, lane: laneOf('user') };
}

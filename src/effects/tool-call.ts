import { setImmediate as nextTick } from 'node:timers/promises';
import { fromPromise } from 'xstate';
import type { Admission, Ran, Route, ToolCallInput } from '../../machines/tool-call/machine.js';
import { MurError } from '../errors/index.js';
import { firstMetadata } from '../inference/index.js';
import { shellNames } from '../policy/index.js';
import { needed } from '../stage/draft.js';
import {
  checkRequired,
  type DispatchOutcome,
  failedOutcome,
  modelResult,
  observeResult,
  readFence,
  refusedOutcome,
  routeCall,
  skillOutcome,
  toolOutcome,
  unreadableSkill,
  unrunnableOutcome,
  warnOncePerTool,
  withNote,
} from '../tools/index.js';
import type { CallOutcome } from '../wasm/index.js';
import { callComponent } from './component.js';
import { guestCommands } from './guest.js';
import { requestInput } from './input.js';
import { sendMessage } from './peers.js';
import { callOf, type TaskWork, workOf } from './work.js';
import { type SessionWorld, traceOf } from './world.js';

/** Largest skill file handed to a model. */
const skillLimitBytes = 1024 * 1024;

/** Judges a call and picks its route (spec/tools.md section 3). A refusal is already the call's outcome. */
export const admitCall = (world: SessionWorld) => {
  const warnOnce = warnOncePerTool(({ code, message }) => world.draft.warn(code, message));
  return fromPromise<Admission, ToolCallInput>(async ({ input }) => {
    // Refused calls wait for nothing else: thousands in one response would keep the door and every timer waiting.
    await nextTick();
    const work = workOf(world, input.taskId);
    const entry = callOf(work, input.callId);
    entry.startedAtMs = world.draft.clock.monotonic();
    world.draft.notify({
      type: 'tool.started',
      taskId: input.taskId,
      turn: input.turn,
      callId: input.callId,
      name: input.name,
      input: entry.call.inputText,
    });
    const refuse = (message: string): Admission => {
      entry.outcome = refusedOutcome(message);
      return { route: 'refused' };
    };
    if (entry.call.refused !== undefined) return refuse(entry.call.refused.message);
    const check = checkRequired(input.name, manifestOf(world, input.name), entry.call.input);
    warnOnce(input.name, check);
    if (!check.ok) {
      traceOf(world).write('tool_input_refused', {
        turn: input.turn,
        task_id: input.taskId,
        tool_name: input.name,
        tool_call_id: input.callId,
        missing: check.missing,
        reason: check.message,
      });
      return refuse(check.message);
    }
    const denial =
      world.draft.protectedPaths && (await import('./protected-call.js')).deniedCall(world, entry.call, input);
    if (denial !== undefined) {
      entry.outcome = { ...refusedOutcome(denial.message), isDenied: true };
      return { route: 'refused' };
    }
    const route = routeCall(input.name, routesOf(world));
    return route.kind === 'refused' ? refuse(route.message) : { route: route.kind };
  });
};

/** Serves a call by its route. Traps, limits and deadlines are results; only what must end the task is thrown. */
export const runCall = (world: SessionWorld) =>
  fromPromise<Ran, ToolCallInput & { readonly route: Route }>(async ({ input, signal }) => {
    const work = workOf(world, input.taskId);
    const entry = callOf(work, input.callId);
    entry.outcome = await serve(world, work, input, signal);
    if (work.failureCause === 'input_timeout') throw new MurError('E-RUN-040', 'input-timeout');
    return { status: entry.outcome.result.status === 'passed' ? 'ok' : 'error' };
  });

/** Adds the runtime's own notes behind the fence (the fence itself is applied where the outcome is made). */
export const fenceCall = (world: SessionWorld) =>
  fromPromise<null, ToolCallInput>(async ({ input }) => {
    const work = workOf(world, input.taskId);
    const entry = callOf(work, input.callId);
    const outcome = outcomeOf(entry.outcome);
    const seen = observeResult(work.repetition, {
      name: input.name,
      inputText: entry.call.inputText,
      isError: outcome.result.status !== 'passed',
    });
    work.repetition = seen.state;
    entry.outcome = seen.note === undefined ? outcome : withNote(outcome, seen.note);
    return null;
  });

/** Writes the trace line of a call and hands the model its text. */
export const recordCall = (world: SessionWorld) =>
  fromPromise<null, ToolCallInput>(async ({ input }) => {
    const work = workOf(world, input.taskId);
    const entry = callOf(work, input.callId);
    const outcome = outcomeOf(entry.outcome);
    // A refusal was never dispatched: the notice waits for a call that was (spec/session.md 6.4).
    const isDispatched = outcome.isSkill || outcome.fenceSource !== undefined;
    const result = modelResult(outcome, isDispatched ? world.deadlineNotice?.take() : undefined);
    entry.resultText = result.text;
    const durationMs = Math.round(world.draft.clock.monotonic() - entry.startedAtMs);
    const status = result.isError ? ('error' as const) : ('ok' as const);
    // A denied call has a line of its own, written when it was denied.
    if (outcome.isDenied !== true) {
      traceCall(world, input, entry.call.inputText, entry.call.input, outcome, result.text, durationMs, status);
    }
    if (outcome.shell !== undefined) {
      const { shellLine } = await import('./command-shell.js');
      traceOf(world).write('shell', shellLine(input, outcome.shell));
    }
    entry.commands?.trace();
    if (!outcome.isSkill && outcome.isDenied !== true)
      for (const totals of [world.totals, work.totals]) totals.toolCalls += 1;
    if (outcome.isDenied !== true) {
      world.feed.callEnded({
        taskId: input.taskId,
        toolName: input.name,
        content: result.text,
        fenceSource: result.fenceSource,
        callId: input.callId,
        isError: result.isError,
        durationMs,
        exitCode: outcome.shell?.exitCode ?? null,
        truncated: outcome.result.truncated,
      });
    }
    world.draft.notify({
      type: 'tool.finished',
      taskId: input.taskId,
      callId: input.callId,
      name: input.name,
      status,
      durationMs,
      outputBytes: Buffer.byteLength(result.text),
      ...(status === 'error' ? { error: outcome.runtimeError ?? firstLine(outcome) } : {}),
      ...(outcome.shell === undefined ? {} : { exitCode: outcome.shell.exitCode }),
      ...(outcome.detached === undefined ? {} : { workId: outcome.detached.workId }),
    });
    // Everybody has been told of the call; what it says of the session is the charts' to act on.
    if (outcome.fatal !== undefined) throw outcome.fatal;
    return null;
  });

function serve(
  world: SessionWorld,
  work: TaskWork,
  input: ToolCallInput & { readonly route: Route },
  signal: AbortSignal,
): DispatchOutcome | Promise<DispatchOutcome> {
  switch (input.route) {
    case 'skill':
      return readSkill(world, input.name);
    case 'shell':
      return runCommand(world, work, input, signal);
    case 'native':
      return runImage(world, work, input, signal);
    default:
      return runTool(world, work, input, signal);
  }
}

async function runCommand(
  world: SessionWorld,
  work: TaskWork,
  { name, callId, taskId, turn }: ToolCallInput,
  signal: AbortSignal,
): Promise<DispatchOutcome> {
  const { commands } = world;
  if (commands === undefined) throw new Error('the commands of this session were not opened');
  const { runShell } = await import('./command-shell.js');
  const { contextId, trust } = work.request;
  const data = callOf(work, callId).call.inputText;
  const outcome = await runShell(commands, { name, data, taskId, turn, contextId, trust, signal });
  const hasRun = outcome.shell !== undefined || outcome.detached !== undefined;
  if (hasRun) for (const totals of [world.totals, work.totals]) totals.shellCalls += 1;
  return outcome;
}

async function runImage(
  world: SessionWorld,
  work: TaskWork,
  { name, callId, taskId, turn }: ToolCallInput,
  signal: AbortSignal,
): Promise<DispatchOutcome> {
  const { commands, draft } = world;
  const native = draft.natives.get(name);
  if (commands === undefined || native?.image === undefined) throw new Error(`native tool '${name}' was not opened`);
  const [{ runNative }, { executablesOf }] = await Promise.all([
    import('./command-native.js'),
    import('../containment/entrypoint.js'),
  ]);
  const { contextId, trust } = work.request;
  const { image, entrypoint, artifact } = native;
  const config = artifact.entry.config?.json;
  const stateDir = draft.stateStores.get(name)?.path;
  return runNative(commands, {
    ...{ name, taskId, turn, contextId, trust, signal, image },
    data: callOf(work, callId).call.inputText,
    settings: { ...(config === undefined ? {} : { config }), ...(stateDir === undefined ? {} : { stateDir }) },
    extra: {
      executables: executablesOf(image, entrypoint),
      ...(stateDir === undefined ? {} : { stateFolder: stateDir }),
    },
  });
}

async function runTool(
  world: SessionWorld,
  work: TaskWork,
  input: ToolCallInput,
  signal: AbortSignal,
): Promise<DispatchOutcome> {
  const staged = world.draft.tools.get(input.name);
  if (staged === undefined)
    return unrunnableOutcome(input.name, `tool '${input.name}' has no component in this session`);
  const entry = callOf(work, input.callId);
  const { taskId, turn } = input;
  const { contextId, trust } = work.request;
  const { totals } = work;
  const commands = await guestCommands(world, { taskId, turn, contextId, trust, totals, signal });
  entry.commands = commands;
  const outcome = await callComponent(world, {
    kind: 'tool',
    name: input.name,
    component: staged.component,
    input: { data: entry.call.inputText },
    depth: 0,
    staged,
    signal: commands?.signal ?? signal,
    host: {
      requestInput: requestInput(world, taskId),
      send: sendMessage(world, work.sender, staged),
      ...(commands && { shell: commands.host(staged) }),
    },
  });
  await commands?.settled();
  const answered = answeredBy(input.name, outcome);
  return commands?.concluded(answered) ?? answered;
}

function answeredBy(name: string, outcome: CallOutcome): DispatchOutcome {
  if (outcome.status === 'failed') return failedOutcome(name, outcome.failure);
  if (outcome.result === undefined) return unrunnableOutcome(name, `tool '${name}' returned no result`);
  return toolOutcome(name, outcome.result);
}

function readSkill(world: SessionWorld, name: string): DispatchOutcome {
  try {
    const bytes = needed(world.draft.folders, 'mint').tools.readFile(`${name}/skill.md`, {
      limitBytes: skillLimitBytes,
    });
    if (bytes === undefined) return unreadableSkill(name, 'its skill.md is gone');
    return skillOutcome(name, bytes.toString('utf8'), 'operator');
  } catch (error) {
    return unreadableSkill(name, error instanceof Error ? error.message : String(error));
  }
}

/** Of a tool this session offers. A model may say any name, and only an offered one is known to be a plain folder name. */
function manifestOf(world: SessionWorld, name: string): string | undefined {
  if (!needed(world.draft.inventory, 'write').items.some((item) => item.name === name)) return undefined;
  const bytes = needed(world.draft.folders, 'mint').tools.readFile(`${name}/murmur.yaml`, {
    limitBytes: skillLimitBytes,
  });
  return bytes?.toString('utf8');
}

const none: ReadonlySet<string> = new Set();

function routesOf(world: SessionWorld) {
  const { draft } = world;
  const resolved = needed(draft.resolved, 'resolve');
  return {
    runtimeProvided: none,
    nativeImages: new Set(draft.natives.keys()),
    shellBinaries: new Set(shellNames(draft.request.policy.shellAllow).offered),
    skills: new Set(resolved.filter((artifact) => artifact.role === 'skill').map((artifact) => artifact.name)),
    wasmTools: new Set(draft.tools.keys()),
    allowlist: draft.request.allowlistedTools,
    removed: none,
  };
}

function outcomeOf(outcome: DispatchOutcome | undefined): DispatchOutcome {
  if (outcome === undefined) throw new Error('the call has no outcome');
  return outcome;
}

/** What a person reads of a failed call: one line, without the fence. */
function firstLine({ result, fenceSource }: DispatchOutcome): string {
  const data = result.data ?? '';
  const text = result.summary ?? (fenceSource === undefined ? data : (readFence(data)?.text ?? data));
  return text.split('\n')[0] ?? '';
}

function traceCall(
  world: SessionWorld,
  call: ToolCallInput,
  inputText: string,
  input: unknown,
  outcome: DispatchOutcome,
  text: string,
  durationMs: number,
  status: 'ok' | 'error',
): void {
  const trace = traceOf(world);
  const common = {
    turn: call.turn,
    task_id: call.taskId,
    output_bytes: Buffer.byteLength(text),
    duration_ms: durationMs,
    status,
  };
  if (outcome.isSkill) {
    trace.write('skill_call', { ...common, skill_name: call.name, origin: 'operator', trust: 'trusted' });
    return;
  }
  const effect = firstMetadata(outcome.result, 'state_effect');
  trace.write('tool_call', {
    ...common,
    tool_name: call.name,
    tool_call_id: call.callId,
    input: input ?? null,
    input_bytes: Buffer.byteLength(inputText),
    ...(world.draft.request.trace.capture === 'content' ? { output: text } : {}),
    ...(effect === 'read' || effect === 'mutate' ? { state_effect: effect } : {}),
    resource_id: firstMetadata(outcome.result, 'resource_id'),
    error: outcome.runtimeError,
  });
}

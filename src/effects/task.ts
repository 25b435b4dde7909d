import { fromPromise } from 'xstate';
import { faultOf } from '../../machines/effect.js';
import type { Begun, TaskEnding, TaskInput } from '../../machines/task/machine.js';
import { MurError, reasonOf } from '../errors/index.js';
import {
  type AttemptEnding,
  buildSystemPrompt,
  reduceContinuation,
  resultFiles,
  resultText,
  userMessage,
} from '../inference/index.js';
import { needed } from '../stage/draft.js';
import { capsuleFacts } from '../stage/facts.js';
import { laneOf } from '../task/index.js';
import { openConversation } from './conversation.js';
import { appendFollowUps, toldText } from './follow-up.js';
import { detachedWorkIds } from './residue.js';
import { TaskWork } from './work.js';
import { type SessionWorld, traceOf } from './world.js';

/** Puts a task to work: registry, input file, history, first trace line (spec/session.md 5.4 step 1). */
export const beginTask = (world: SessionWorld) =>
  fromPromise<Begun, TaskInput>(async ({ input }) => {
    const { draft, registry } = world;
    const request = registry.next();
    if (request?.taskId !== input.taskId) throw new Error(`task ${input.taskId} is not next in the registry`);
    registry.start(request.taskId);
    const folders = needed(draft.folders, 'mint');
    if (request.source === 'a2a') folders.runtimeRoot.writeFile('task.md', request.text);
    const scope = draft.scope.child(`task ${request.taskId}`);
    const { history, recorder } = openConversation(world, request, scope);
    const inventory = needed(draft.inventory, 'write');
    const work = new TaskWork({
      request,
      inventory,
      system: buildSystemPrompt({
        facts: capsuleFacts(draft),
        prompt: needed(draft.systemPrompt, 'check').text,
        instructionFiles: draft.instructions,
      }),
      history,
      recorder,
      startedAtMs: draft.clock.monotonic(),
      scope,
    });
    world.work.set(request.taskId, work);
    traceOf(world).write('task_start', {
      task_id: request.taskId,
      context_id: request.contextId,
      source: request.source,
      origin: request.origin,
      trust: request.trust,
      lane: laneOf(request.origin),
      message_parts_bytes: Buffer.byteLength(request.text),
    });
    draft.notify({
      type: 'task.started',
      taskId: request.taskId,
      contextId: request.contextId,
      source: request.source,
      text: request.text,
    });
    if (request.text.trim() === '') {
      return {
        ok: false,
        fault: faultOf(
          new MurError('E-RUN-040', 'the task is blank: there is nothing to do', { hint: 'give the task some text' }),
        ),
      };
    }
    work.append(userMessage(toldText(request)));
    appendFollowUps(world, work);
    return { ok: true };
  });

/** Writes how the task ended, in the order of spec/session.md 5.4. */
export const endTask = (world: SessionWorld) =>
  fromPromise<null, TaskEnding>(async ({ input }) => {
    const { draft } = world;
    const work = world.work.get(input.taskId);
    const trace = traceOf(world);
    if (work === undefined) {
      world.registry.finish(input.taskId, 'failed', { message: input.fault?.message ?? 'the task could not be begun' });
      return null;
    }
    await work.settleCommands();
    const durationMs = Math.round(draft.clock.monotonic() - work.startedAtMs);
    const ending = endingOf(input, work, world.secrets.redactKeys);
    writeResult(world, work, ending);
    if (input.status === 'ok' && work.stopReason === 'max_tokens') {
      draft.warn('W-RUN-001', 'the answer stopped at the output cap of the model, so it is a fragment');
    }
    if (input.status === 'canceled') {
      trace.write('task_canceled', {
        task_id: input.taskId,
        turn: work.turnIndex,
        phase: work.phase,
        detached_work_ids: detachedWorkIds(world),
        delegation_ids: [],
      });
    } else if (input.status === 'failed' && input.fault !== null) {
      trace.write('task_failed', {
        task_id: input.taskId,
        turn: work.turnIndex,
        cause: causeOf(work),
        reason: input.fault.message,
      });
    }
    trace.write('task_end', {
      task_id: input.taskId,
      exit_status: input.status,
      duration_ms: durationMs,
      turns: work.totals.turns,
      input_tokens: work.totals.inputTokens,
      output_tokens: work.totals.outputTokens,
      tool_calls: work.totals.toolCalls,
      shell_calls: work.totals.shellCalls,
      reopen_count: 0,
    });
    settle(world, input, work, ending);
    await trace.flush();
    world.work.delete(input.taskId);
    await work.scope.close('task ended');
    draft.notify({
      type: 'task.ended',
      taskId: input.taskId,
      status: input.status,
      ...(ending.type === 'answered' ? { answer: ending.text } : {}),
      ...(ending.type === 'answered' ? {} : { reason: reasonFor(ending, input) }),
      turns: work.totals.turns,
      durationMs,
    });
    return null;
  });

function endingOf(input: TaskEnding, work: TaskWork, redact: (text: string) => string): AttemptEnding {
  switch (input.status) {
    case 'ok':
      return { type: 'answered', text: redact(work.answer ?? ''), stopReason: work.stopReason };
    case 'max_turns_reached':
      return { type: 'turns_exceeded', maxTurns: input.turns };
    case 'canceled':
      return { type: 'canceled' };
    case 'spend_ceiling_reached':
      return { type: 'ceiling_reached', reason: input.fault?.message ?? 'a spend ceiling was reached' };
    case 'no_answer':
      return { type: 'no_answer', reason: input.fault?.message ?? '' };
    default:
      return { type: 'failed', reason: input.fault?.message ?? 'the task failed' };
  }
}

function reasonFor(ending: AttemptEnding, input: TaskEnding): string {
  return ending.type === 'canceled' ? 'the task was canceled' : (input.fault?.message ?? resultText(ending));
}

/** What the final status of a task without an answer says (spec/door.md 14, 15.3): in its own words for the ends that have some. */
function lastMessage(ending: AttemptEnding, input: TaskEnding, { failureCause }: TaskWork): string {
  switch (ending.type) {
    case 'canceled':
      return 'task canceled';
    case 'turns_exceeded':
      return `max_turns exceeded: the task used all ${ending.maxTurns} inference turns`;
    default:
      return failureCause === 'driver_failed'
        ? `driver invocation failed: ${reasonFor(ending, input)}`
        : reasonFor(ending, input);
  }
}

/** A result that cannot be written is a warning: the trace, the door and the screen still say how the task ended. */
function writeResult(world: SessionWorld, work: TaskWork, ending: AttemptEnding): void {
  const { draft } = world;
  const records = needed(draft.folders, 'mint').recordsRoot;
  const text = resultText(ending, world.secrets.redactKeys);
  for (const name of resultFiles(draft.lifecycle.conversation, work.request.taskId)) {
    try {
      records.writeFile(`out/${name}`, text, { mode: 0o600 });
    } catch (error) {
      draft.warn('W-RUN-902', `the result file out/${name} could not be written: ${reasonOf(error)}`);
    }
  }
}

function causeOf(work: TaskWork) {
  const cause = work.failureCause;
  if (
    cause === 'driver_error' ||
    cause === 'credential_rejected' ||
    cause === 'malformed_response' ||
    cause === 'input_timeout'
  ) {
    return cause;
  }
  return cause === 'driver_failed' ? ('driver_error' as const) : ('runtime_error' as const);
}

/** Registry, continuation and the input file follow the task's end. */
function settle(world: SessionWorld, input: TaskEnding, work: TaskWork, ending: AttemptEnding): void {
  const { taskId, contextId, source } = work.request;
  const said = ending.type === 'answered' ? { response: ending.text } : { message: lastMessage(ending, input, work) };
  const state = input.status === 'ok' ? 'completed' : input.status === 'canceled' ? 'canceled' : 'failed';
  world.registry.finish(taskId, state, said);
  if (ending.type === 'answered' && world.draft.lifecycle.conversation === 'threaded') {
    world.continuation = reduceContinuation(world.continuation, {
      type: 'answer.recorded',
      contextId,
      messageCount: work.messages.length,
    });
  }
  if (source === 'a2a' || world.draft.lifecycle.taskAcceptance === 'queue') {
    needed(world.draft.folders, 'mint').runtimeRoot.remove('task.md');
  }
}

import { fromPromise } from 'xstate';
import { faultOf } from '../../machines/effect.js';
import type { Inferred, TurnInput } from '../../machines/turn/machine.js';
import { MurError } from '../errors/index.js';
import {
  assistantMessage,
  buildRequest,
  type DriverFailure,
  type DriverReply,
  type DriverRequest,
  reduceContinuation,
  toolMessage,
  usableContinuation,
} from '../inference/index.js';
import { needed } from '../stage/draft.js';
import { callDriver } from './driver.js';
import { appendFollowUps } from './follow-up.js';
import { traceInference } from './inference-line.js';
import { type CallWork, type TaskWork, workOf } from './work.js';
import type { SessionWorld } from './world.js';

/** Name of the one driver choice this build serves. */
const primaryChoice = 'primary';

/** Calls of one response that are run. More than any model asks for in earnest; each costs a chart, a trace line and a result. */
export const maxCallsPerResponse = 128;

/** Announces the turn. */
export const prepareTurn = (world: SessionWorld) =>
  fromPromise<null, TurnInput>(async ({ input }) => {
    const { driver } = world.draft;
    const work = workOf(world, input.taskId);
    const breach = world.breach?.();
    if (breach !== undefined) throw (await import('../resources/index.js')).sizeError(breach);
    work.turn = undefined;
    work.turnIndex = input.turn;
    world.feed.turnBegan(input.taskId, input.turn);
    world.draft.notify({ type: 'turn.started', taskId: input.taskId, turn: input.turn, model: driver?.model ?? '' });
    return null;
  });

/** One driver call: the request goes out, text streams, the answer is read and traced (spec/session.md 6.2). */
export const infer = (world: SessionWorld) =>
  fromPromise<Inferred, TurnInput>(async ({ input, signal }) => {
    const { draft } = world;
    const work = workOf(world, input.taskId);
    const startedAtMs = draft.clock.monotonic();
    const request = requestOf(world, work);
    // The first count of a process takes a moment, so counting runs beside the call instead of before it.
    const counting = world.tokens.count(request.fullText);
    work.phase = 'inference';
    const { outcome, responseText } = await callDriver(world, work, request, signal);
    // The turn was stopped meanwhile: what it found out belongs to nobody any more.
    signal.throwIfAborted();
    work.phase = 'turn';
    const inputTokens = await counting;
    const outputTokens = outcome.rawText === undefined ? undefined : await world.tokens.count(outcome.rawText);
    const counted = outcome.status === 'ok' || outcome.counted;
    traceInference(world, {
      input,
      request,
      outcome,
      responseText,
      ...(counted ? { inputTokens, outputTokens: outputTokens ?? 0 } : {}),
    });
    if (counted) addTokens(world, work, inputTokens, outputTokens ?? 0);
    draft.notify({
      type: 'turn.ended',
      taskId: input.taskId,
      turn: input.turn,
      decision: outcome.decision,
      durationMs: draft.clock.monotonic() - startedAtMs,
      ...(counted ? { inputTokens, outputTokens: outputTokens ?? 0 } : {}),
    });
    if (outcome.status === 'failed') {
      world.feed.turnEnded(input.taskId);
      return failed(work, outcome);
    }
    world.continuation = reduceContinuation(world.continuation, {
      type: 'driver.answered',
      continuationId: outcome.continuationId,
      contextId: work.request.contextId,
      choice: primaryChoice,
      messageCount: request.messageCount,
    });
    // A message that comes during the last turn there is must not cost the task its answer.
    const canGoOn = input.turn + 1 < (draft.request.inference?.maxTurns ?? 0);
    const inferred = accept(world, work, outcome, canGoOn);
    const isAnswer = inferred.decision === 'end_turn';
    world.feed.turnEnded(input.taskId, isAnswer ? world.secrets.redactKeys(outcome.text) : undefined);
    return inferred;
  });

/** The response, every result in call order, and what was said meanwhile join the conversation. */
export const commitTurn = (world: SessionWorld) =>
  fromPromise<null, TurnInput>(async ({ input }) => {
    const work = workOf(world, input.taskId);
    const turn = work.turn;
    if (turn === undefined) return null;
    work.append(
      assistantMessage(turn.reply.content),
      turn.reply.stopReason === 'max_tokens' ? { truncated: true } : {},
    );
    for (const { call, outcome, resultText } of turn.calls.values()) {
      const text = resultText ?? call.refused?.message ?? excess(turn.calls.size);
      work.append(toolMessage(call.id, text, outcome?.result.status !== 'passed'), { fence: outcome?.fenceSource });
    }
    appendFollowUps(world, work);
    return null;
  });

/** The answer to each call beyond the limit, so that every call has its result. */
function excess(asked: number): string {
  return `This call was not run: the response asked for ${asked} calls, and at most ${maxCallsPerResponse} of one response are run. Ask again for what is still needed.`;
}

function requestOf(world: SessionWorld, work: TaskWork): DriverRequest {
  const { draft } = world;
  const driver = needed(draft.driver, 'compile');
  const continuation = usableContinuation(world.continuation, {
    contextId: work.request.contextId,
    choice: primaryChoice,
    messageCount: work.messages.length,
  });
  return buildRequest({
    model: driver.model,
    maxTokens: driver.limits.outputCap,
    messages: work.messages,
    tools: work.inventory.definitions,
    system: work.system,
    capsule: { name: draft.request.capsuleName, version: draft.request.capsuleVersion },
    contextId: work.request.contextId,
    ...(continuation === undefined ? {} : { continuation }),
  });
}

function addTokens(world: SessionWorld, work: TaskWork, inputTokens: number, outputTokens: number): void {
  for (const totals of [world.totals, work.totals]) {
    totals.turns += 1;
    totals.inputTokens += inputTokens;
    totals.outputTokens += outputTokens;
  }
}

function failed(work: TaskWork, outcome: DriverFailure): Inferred {
  work.failureCause = outcome.errorCode;
  const code = outcome.errorCode === 'credential_rejected' ? 'E-RUN-027' : 'E-RUN-040';
  return { decision: 'failed', status: 'failed', fault: faultOf(new MurError(code, outcome.message)) };
}

function accept(world: SessionWorld, work: TaskWork, reply: DriverReply, canGoOn: boolean): Inferred {
  const calls = new Map<string, CallWork>(
    reply.calls.map((call) => [call.id, { call, startedAtMs: world.draft.clock.monotonic() }]),
  );
  work.turn = { reply, calls };
  if (reply.stopReason === 'tool_call') {
    const run = reply.calls.slice(0, maxCallsPerResponse);
    return { decision: 'tool_call', calls: run.map((call) => ({ callId: call.id, name: call.name })) };
  }
  if (!world.registry.answer(work.request.taskId, canGoOn)) return { decision: 'go_on' };
  work.answer = reply.text;
  work.stopReason = reply.stopReason;
  return { decision: 'end_turn' };
}

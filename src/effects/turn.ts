import { fromPromise } from 'xstate';
import { faultOf } from '../../machines/effect.js';
import type { Inferred, TurnInput } from '../../machines/turn/machine.js';
import { MurError } from '../errors/index.js';
import {
  assistantMessage,
  buildRequest,
  countTokens,
  type DriverFailure,
  type DriverOutcome,
  type DriverReply,
  type DriverRequest,
  hashRequest,
  readDriverCall,
  reduceContinuation,
  sha256Hex,
  toolMessage,
  usableContinuation,
} from '../inference/index.js';
import { needed } from '../stage/draft.js';
import type { EgressEvent } from '../wasm/egress/index.js';
import { callComponent } from './component.js';
import { traceCredential } from './credential.js';
import { requestInput } from './input.js';
import { type CallWork, type TaskWork, workOf } from './work.js';
import { redactKeys, type SessionWorld, traceOf } from './world.js';

/** Name of the one driver choice this build serves. */
const primaryChoice = 'primary';

/** Announces the turn. */
export const prepareTurn = (world: SessionWorld) =>
  fromPromise<null, TurnInput>(async ({ input }) => {
    const { driver } = world.draft;
    const work = workOf(world, input.taskId);
    work.turn = undefined;
    work.turnIndex = input.turn;
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
    // The vocabulary takes a moment to load, so counting runs beside the call instead of before it.
    const counting = countTokens(request.fullText);
    work.phase = 'inference';
    const { outcome, responseText } = await callDriver(world, work, request, signal);
    // The turn was stopped meanwhile: what it found out belongs to nobody any more.
    signal.throwIfAborted();
    work.phase = 'turn';
    const inputTokens = await counting;
    const outputTokens = outcome.rawText === undefined ? undefined : await countTokens(outcome.rawText);
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
    if (outcome.status === 'failed') return failed(work, outcome);
    world.continuation = reduceContinuation(world.continuation, {
      type: 'driver.answered',
      continuationId: outcome.continuationId,
      contextId: work.request.contextId,
      choice: primaryChoice,
      messageCount: request.messageCount,
    });
    return accept(world, work, outcome);
  });

/** The response and every result join the conversation, in call order. */
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
      const text = resultText ?? call.refused?.message ?? 'This call was not run.';
      work.append(toolMessage(call.id, text, outcome?.result.status !== 'passed'), { fence: outcome?.fenceSource });
    }
    return null;
  });

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

async function callDriver(
  world: SessionWorld,
  work: TaskWork,
  request: DriverRequest,
  signal: AbortSignal,
): Promise<{ outcome: DriverOutcome; responseText: string | undefined }> {
  const driver = needed(world.draft.driver, 'compile');
  const { taskId } = work.request;
  const seen: { providerStatus?: number; rejected?: string } = {};
  const outcome = await callComponent(world, {
    kind: 'driver',
    name: driver.artifact.name,
    component: driver.component,
    input: { data: request.text },
    depth: 0,
    staged: driver,
    signal,
    host: {
      event: (event) => {
        if (event.type === 'chunk') world.draft.notify({ type: 'text.chunk', taskId, text: event.text });
        if (event.type === 'thinking') world.draft.notify({ type: 'thinking.chunk', taskId, text: event.text });
      },
      requestInput: requestInput(world, taskId),
    },
    onEgress: (event) => noteEgress(world, event, seen),
  });
  const responseText = outcome.status === 'returned' ? (outcome.result?.data ?? outcome.result?.summary) : undefined;
  return {
    outcome: readDriverCall(outcome, {
      redact: redactKeys(world),
      ...(seen.providerStatus === undefined ? {} : { providerStatus: seen.providerStatus }),
      ...(seen.rejected === undefined ? {} : { credentialRejected: seen.rejected }),
    }),
    responseText,
  };
}

/** Credential changes go to the trace; a final rejection becomes the text of the failed call. */
function noteEgress(
  world: SessionWorld,
  event: EgressEvent,
  seen: { providerStatus?: number; rejected?: string },
): void {
  switch (event.type) {
    case 'gateway.responded':
      seen.providerStatus = event.status;
      return;
    case 'gateway.credential-accepted':
      delete seen.rejected;
      return;
    case 'gateway.credential-rejected':
      traceCredential(world, needed(world.draft.driver, 'compile').artifact.name, {
        type: 'rejected',
        source: event.source,
        retried: event.retried,
      });
      seen.rejected = `the provider rejected the inference credential from ${event.source} (HTTP 401)${event.retried ? '; re-read, new value rejected too' : ''}`;
      return;
    default:
      world.log.write({ level: 'warn', message: event.type, egress: event });
  }
}

interface Inference {
  readonly input: TurnInput;
  readonly request: DriverRequest;
  readonly outcome: DriverOutcome;
  readonly responseText: string | undefined;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

function traceInference(
  world: SessionWorld,
  { input, request, outcome, responseText, inputTokens, outputTokens }: Inference,
): void {
  const { usage } = outcome;
  const capture = world.draft.request.trace.capture;
  const hashes =
    capture === 'none'
      ? {}
      : { ...hashRequest(request), ...(responseText === undefined ? {} : { response_sha: sha256Hex(responseText) }) };
  if (world.blobs !== undefined) {
    const { system, tools, messages } = request.parts;
    const texts = [system, tools, ...messages, ...(responseText === undefined ? [] : [responseText])];
    for (const text of texts) world.blobs.put(text);
  }
  traceOf(world).write('inference', {
    turn: input.turn,
    task_id: input.taskId,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    decision: outcome.decision,
    stop_reason: outcome.stopReason,
    tool_name: outcome.toolName,
    input_tokens_actual: usage.inputTokens,
    output_tokens_actual: usage.outputTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    thinking_tokens: usage.thinkingTokens,
    ...(request.messageIds.length === 0 ? {} : { message_ids: request.messageIds }),
    ...hashes,
    ...(outcome.status === 'ok'
      ? {}
      : { error_code: outcome.errorCode, error: outcome.message, provider_status: outcome.providerStatus }),
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

function accept(world: SessionWorld, work: TaskWork, reply: DriverReply): Inferred {
  const calls = new Map<string, CallWork>(
    reply.calls.map((call) => [call.id, { call, startedAtMs: world.draft.clock.monotonic() }]),
  );
  work.turn = { reply, calls };
  if (reply.stopReason === 'tool_call') {
    return { decision: 'tool_call', calls: reply.calls.map((call) => ({ callId: call.id, name: call.name })) };
  }
  work.answer = reply.text;
  work.stopReason = reply.stopReason;
  return { decision: 'end_turn' };
}

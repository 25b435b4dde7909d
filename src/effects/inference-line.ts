import type { TurnInput } from '../../machines/turn/machine.js';
import { type DriverOutcome, type DriverRequest, hashRequest } from '../inference/index.js';
import { sha256Hex } from '../text/index.js';
import { type SessionWorld, traceOf } from './world.js';

export interface Inference {
  readonly input: TurnInput;
  readonly request: DriverRequest;
  readonly outcome: DriverOutcome;
  readonly responseText: string | undefined;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** Writes the `inference` line of one driver call, its hashes, and under `capture: content` what they are the hashes of. */
export function traceInference(
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

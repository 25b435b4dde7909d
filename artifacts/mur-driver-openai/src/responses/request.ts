/** A canonical request as a Responses body. Pure. Source: spec/drivers.md 11.2. */
import { type Message, type Request, textOf } from '../../../lib/conversation.js';
import { withParams } from '../../../lib/driver.js';
import { type Json, type JsonObject, string } from '../../../lib/json.js';
import type { Config } from '../config.js';
import { argumentsOf, imageUrl, nonEmptyTexts } from '../content.js';

export function toResponsesBody(request: Request, config: Config): JsonObject {
  const { model, maxTokens, system, tools, continuationId, promptCacheKey } = request;
  const reasoning = {
    ...(config.reasoningEffort !== undefined && { effort: config.reasoningEffort }),
    ...(config.thinking && { summary: 'auto' }),
  };
  // The provider already holds its own messages of a conversation it continues.
  const messages = request.messages.filter((message) => continuationId === undefined || message.role !== 'assistant');
  const body: JsonObject = {
    model,
    max_output_tokens: maxTokens,
    stream: true,
    store: config.store,
    input: messages.flatMap(toItems),
    ...(system !== '' && { instructions: system }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        name,
        ...(description !== undefined && { description }),
        parameters,
        strict: false, // the default here rejects schemas with optional members
      })),
    }),
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...(config.verbosity !== undefined && { text: { verbosity: config.verbosity } }),
    ...(continuationId !== undefined && { previous_response_id: continuationId }),
    ...(promptCacheKey !== undefined && { prompt_cache_key: promptCacheKey }),
  };
  return withParams(body, request.params);
}

function toItems(message: Message): Json[] {
  const { role, content } = message;
  if (role === 'tool') return [{ type: 'function_call_output', call_id: message.toolCallId, output: textOf(content) }];
  if (role === 'user') {
    const parts = content.flatMap((block): Json[] => {
      const url = imageUrl(block);
      if (url !== undefined) return [{ type: 'input_image', image_url: url }];
      return nonEmptyTexts([block]).map((text) => ({ type: 'input_text', text }));
    });
    return parts.length === 0 ? [] : [{ role, content: parts }];
  }
  return content.flatMap((block): Json[] => {
    if (block.type === 'tool_call') {
      return [
        {
          type: 'function_call',
          call_id: string(block.id) ?? '',
          name: string(block.name) ?? '',
          arguments: argumentsOf(block),
        },
      ];
    }
    return nonEmptyTexts([block]).map((text) => ({ role, content: [{ type: 'output_text', text }] }));
  });
}

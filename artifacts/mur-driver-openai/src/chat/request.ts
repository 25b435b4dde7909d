/** A canonical request as a Chat Completions body. Pure. Source: spec/drivers.md 11.2. */
import { type Message, type Request, textOf } from '../../../lib/conversation.js';
import { withParams } from '../../../lib/driver.js';
import { type Json, type JsonObject, string } from '../../../lib/json.js';
import type { Config } from '../config.js';
import { argumentsOf, imageUrl, nonEmptyTexts } from '../content.js';
import { droppedParams } from '../model.js';

export function toChatBody(request: Request, config: Config): JsonObject {
  const { model, maxTokens, system, tools, promptCacheKey } = request;
  const messages = request.messages.flatMap(toMessage);
  const body: JsonObject = {
    model,
    max_completion_tokens: maxTokens,
    stream: true,
    stream_options: { include_usage: true },
    messages: system === '' ? messages : [{ role: 'system', content: system }, ...messages],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, ...(description !== undefined && { description }), parameters },
      })),
    }),
    ...(config.store && { store: true }),
    ...(config.reasoningEffort !== undefined && { reasoning_effort: config.reasoningEffort }),
    ...(config.verbosity !== undefined && { verbosity: config.verbosity }),
    ...(promptCacheKey !== undefined && { prompt_cache_key: promptCacheKey }),
  };
  return withParams(body, request.params, droppedParams(model));
}

function toMessage(message: Message): Json[] {
  const { role, content } = message;
  if (role === 'tool') return [{ role, tool_call_id: message.toolCallId, content: textOf(content) }];
  if (role === 'user') return toUser(message);
  const text = nonEmptyTexts(content).join('');
  const calls = content.filter((block) => block.type === 'tool_call');
  if (text === '' && calls.length === 0) return [];
  const tool_calls = calls.map((block) => ({
    id: string(block.id) ?? '',
    type: 'function',
    function: { name: string(block.name) ?? '', arguments: argumentsOf(block) },
  }));
  return [{ role, content: text === '' ? null : text, ...(tool_calls.length > 0 && { tool_calls }) }];
}

/** Plain text stays a string, which every compatible server takes; images need the list form. */
function toUser({ content }: Message): Json[] {
  const parts = content.flatMap((block): JsonObject[] => {
    const url = imageUrl(block);
    if (url !== undefined) return [{ type: 'image_url', image_url: { url } }];
    return nonEmptyTexts([block]).map((text) => ({ type: 'text', text }));
  });
  if (parts.length === 0) return [];
  const only = parts.length === 1 ? parts[0]?.text : undefined;
  return [{ role: 'user', content: only ?? parts }];
}

/** A canonical request as a Messages API body. Pure. Source: spec/drivers.md 11.1. */
import type { Block, Message, Request } from '../../lib/conversation.js';
import { withParams } from '../../lib/driver.js';
import { isObject, type Json, type JsonObject, string } from '../../lib/json.js';
import type { Config } from './config.js';

/** Sampling settings the provider refuses together with thinking. */
const notWithThinking = new Set(['temperature', 'top_p', 'top_k']);

export function toBody(request: Request, config: Config): JsonObject {
  const { model, maxTokens, system, tools, params } = request;
  const body: JsonObject = {
    model,
    max_tokens: maxTokens,
    stream: true,
    messages: toMessages(request.messages, config),
  };
  if (system !== '') body.system = config.cache ? [{ type: 'text', text: system }] : system;
  if (tools.length > 0) {
    body.tools = tools.map(({ name, description, parameters }) => ({
      name,
      ...(description !== undefined && { description }),
      input_schema: parameters,
    }));
  }
  if (params.tool_choice !== undefined) body.tool_choice = toolChoice(params.tool_choice);
  if (config.thinking) {
    const budget = Math.max(1, Math.min(config.thinkingBudget, maxTokens - 1));
    body.thinking = { type: 'enabled', budget_tokens: budget };
  }
  if (config.cache) mark(body, config);
  return withParams(body, params, dropped(request, config));
}

/** Models since Claude 4 take temperature or top_p, not both. */
function dropped({ model, params }: Request, config: Config): ReadonlySet<string> {
  if (config.thinking) return notWithThinking;
  return !/^claude-[1-3]\b/.test(model) && 'temperature' in params ? new Set(['top_p']) : new Set();
}

function toolChoice(choice: Json): Json {
  if (choice === 'required') return { type: 'any' };
  return typeof choice === 'string' ? { type: choice } : choice;
}

/** Neighbours that speak with the same role become one message: all results of a turn must stand in the next message. */
function toMessages(messages: readonly Message[], config: Config): Json[] {
  const out: { role: string; content: Json[] }[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content =
      message.role === 'tool' ? [toolResult(message)] : message.content.flatMap((block) => toBlock(block, config));
    const last = out.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) out.push({ role, content });
  }
  return out;
}

function toolResult({ toolCallId, content, isError }: Message): Json {
  const text = content.flatMap(toText);
  return {
    type: 'tool_result',
    tool_use_id: toolCallId,
    ...(text.length > 0 && { content: text }),
    ...(isError && { is_error: true }),
  };
}

/** The provider refuses empty text blocks. */
function toText(block: Block): Json[] {
  return block.type === 'text' && string(block.text) ? [{ type: 'text', text: block.text ?? '' }] : [];
}

function toBlock(block: Block, config: Config): Json[] {
  switch (block.type) {
    case 'text':
      return toText(block);
    case 'image':
      return isObject(block.source) ? [{ type: 'image', source: { type: 'base64', ...block.source } }] : [];
    case 'tool_call':
      return [{ type: 'tool_use', id: block.id ?? '', name: block.name ?? '', input: toInput(block.input) }];
    case 'thinking': // only what the provider signed can be shown to it again
      return config.thinking && string(block.signature)
        ? [{ type: 'thinking', thinking: block.text ?? '', signature: block.signature ?? '' }]
        : [];
    case 'redacted_thinking':
      return config.thinking ? [{ type: 'redacted_thinking', data: block.data ?? '' }] : [];
    default:
      return [];
  }
}

/** The provider wants an object; a malformed call that was refused stays visible to the model. */
function toInput(input: Json | undefined): Json {
  return isObject(input) ? input : { malformed_arguments: input ?? null };
}

/** Marks what the provider should cache: the tools, the system text, and the conversation so far. */
function mark(body: JsonObject, { cacheTtl }: Config): void {
  const cache_control = { type: 'ephemeral', ...(cacheTtl && { ttl: cacheTtl }) };
  const messages = body.messages as { content: JsonObject[] }[];
  const cacheable = messages.at(-1)?.content.filter((block) => !String(block.type).endsWith('thinking')) ?? [];
  for (const blocks of [body.tools, body.system, cacheable]) {
    const last = Array.isArray(blocks) ? blocks.at(-1) : undefined;
    if (isObject(last)) last.cache_control = cache_control;
  }
}
